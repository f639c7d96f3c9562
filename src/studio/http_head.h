// http_head.h - the head of a request, read and judged: what it asks for, and whether whoever asks may. Nothing here knows of
// connections.
#pragma once

#include "studio/http.h"

typedef struct flx_http_rules {
    const char *secret; // the letters that the address begins with; "": none
    size_t most;        // bytes of a body; 0: requests have none
} flx_http_rules;

typedef struct flx_http_head {
    flx_http_request request; // as far as the head says; its texts are parts of the head
    size_t length;            // of the body
    bool known;               // it has named the secret
    bool bare;                // HEAD: the answer has no body
} flx_http_head;

// text: lines with CR LF, the last one too, without the empty one; it is cut into words. NULL: it is good; else the status
// of its refusal, as "403 Forbidden".
const char *flx_http_read_head(char *text, const flx_http_rules *rules, flx_http_head *head);
