// http_head.c - the head of a request (http_head.h). A name that is not this machine's is refused: the browser may have been
// led here by a page of the network that calls this address its own (DNS rebinding), and would hand it what it reads.
#include "studio/http_head.h"
#include "base/letters.h"

#include <string.h>

// The text of a header without blanks around it; *length: 0 when it is missing, or there twice.
static const char *find_header(const char *head, const char *name, size_t *length)
{
    const char *found = NULL;
    size_t n = strlen(name);
    *length = 0;
    for (const char *line = head; (line = strstr(line, "\r\n")) != NULL;) {
        line += 2;
        if (!flx_same_start(line, name, n) || line[n] != ':') continue;
        if (found) {
            *length = 0;
            return found;
        }
        found = line + n + 1 + strspn(line + n + 1, " \t");
        *length = strcspn(found, " \t\r\n");
    }
    return found;
}

// "localhost:8000" and its like; any port, for it may have been forwarded.
static bool is_this_machine(const char *host, size_t length)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (length < n || !flx_same_start(host, names[i], n)) continue;
        if (length == n) return true;
        if (host[n] == ':' && strspn(host + n + 1, "0123456789") == length - n - 1) return true;
    }
    return false;
}

// Whoever says where it comes from is the page itself: "http://" and the host that it asks.
static bool is_own_page(const char *headers, const char *host, size_t n)
{
    size_t length;
    const char *origin = find_header(headers, "Origin", &length);
    if (origin && (length != n + 7 || !flx_same_start(origin, "http://", 7) ||
                   !flx_same_start(origin + 7, host, n))) {
        return false;
    }
    const char *site = find_header(headers, "Sec-Fetch-Site", &length);
    return !site || (length == 11 && memcmp(site, "same-origin", 11) == 0) ||
           (length == 4 && memcmp(site, "none", 4) == 0);
}

// Takes as long whatever the letters are.
static bool is_secret(const char *secret, const char *text)
{
    unsigned differ = 0;
    for (size_t i = 0; secret[i]; i++) {
        if (!text[i]) return false;
        differ |= (unsigned)(text[i] ^ secret[i]);
    }
    return differ == 0;
}

// The first line, cut into its words; false: it is none.
static bool read_line(char *line, flx_http_head *h, char **target)
{
    char *end = strstr(line, "\r\n"), *space = strchr(line, ' ');
    if (!end || !space || space > end) return false;
    char *next = memchr(space + 1, ' ', (size_t)(end - space - 1));
    if (!next || space[1] != '/' || strncmp(next + 1, "HTTP/1.", 7) != 0) return false;
    *space = *next = '\0';
    h->request.method = line;
    *target = space + 1;
    return true;
}

// Path and query behind the secret.
static const char *read_target(char *target, const char *secret, flx_http_head *h)
{
    char *path = target + 1;
    size_t n = strlen(secret);
    if (n > 0) {
        if (!is_secret(secret, path) || path[n] != '/') {
            return "403 Forbidden: the address has a secret part, which the program printed";
        }
        path += n + 1;
        h->known = true;
    }
    char *query = strchr(path, '?');
    if (query) *query++ = '\0';
    h->request.path = path;
    h->request.query = query ? query : "";
    return NULL;
}

static const char *read_length(const char *headers, size_t most, flx_http_head *h)
{
    size_t length, n = 0;
    const char *text = find_header(headers, "Content-Length", &length);
    if (find_header(headers, "Transfer-Encoding", &(size_t){0})) {
        return "501 Not Implemented: bodies have a Content-Length here";
    }
    if (!text && strcmp(h->request.method, "POST") == 0) return "411 Length Required";
    if (text && (length == 0 || strspn(text, "0123456789") != length)) return "400 Bad Request";
    for (size_t i = 0; text && i < length && n <= most; i++) n = 10 * n + (size_t)(text[i] - '0');
    if (n > most) return "413 Content Too Large";
    h->length = n;
    return NULL;
}

static bool knows_method(const char *m, const flx_http_rules *rules)
{
    return strcmp(m, "GET") == 0 || strcmp(m, "HEAD") == 0 ||
           (rules->most > 0 && strcmp(m, "POST") == 0);
}

const char *flx_http_read_head(char *text, const flx_http_rules *rules, flx_http_head *h)
{
    size_t n;
    char *target = NULL;
    const char *headers = strstr(text, "\r\n"), *no;
    *h = (flx_http_head){0};
    if (!read_line(text, h, &target)) return "400 Bad Request";
    h->bare = strcmp(h->request.method, "HEAD") == 0;
    if (!knows_method(h->request.method, rules)) return "405 Method Not Allowed";
    const char *host = find_header(headers, "Host", &n);
    if (!is_this_machine(host, n)) {
        return "403 Forbidden: this page is served as 127.0.0.1 or localhost only";
    }
    if (!is_own_page(headers, host, n)) return "403 Forbidden: a page of another origin asks";
    no = read_target(target, rules->secret, h);
    return no ? no : read_length(headers, rules->most, h);
}
