// study_page.c - a page of a study folder: table, scatter plot, parallel coordinates, and what failed. It needs no network.
//
// A click on a run shows its numbers and plays it: by its page, where one was made, by the server that gave this page, or by
// the command that is shown.
#include "cli/sweep/study_page.h"
#include "cli/plugins.h"

#include "cli/sweep/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_ROWS 20000 // in the page; of more, some evenly
#define MOST_FAILED 200 // messages

// The page up to the study, as an object of JavaScript, and behind it.
// clang-format off
static const char head[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title></title><style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--back:#f6f8fa;--card:#fff;--line:#d5dae0;--on:#ffe9c7;--bad:#a3261c}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ebef;--soft:#9aa4ae;--back:#16181c;--card:#1d2025;--line:#363b43;--on:#4a3b1c;--bad:#ff9a8d}}\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1.2em;color:var(--ink);background:var(--back)}h1{font-size:1.25em;margin:0 0 .2em}h2{font-size:1.1em}\n"
    ".bar{margin:.6em 0;display:flex;gap:1em;flex-wrap:wrap}select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.2em .4em}\n"
    "canvas{border:1px solid var(--line);border-radius:8px;background:var(--card);width:100%;height:400px;box-sizing:border-box;display:block}\n"
    ".plots{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:1em}@media(max-width:900px){.plots{grid-template-columns:minmax(0,1fr)}}\n"
    "#wrap{max-height:24em;overflow:auto;border:1px solid var(--line);border-radius:8px;margin-top:1em;background:var(--card)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15em .8em;text-align:right;white-space:nowrap}\n"
    "th{position:sticky;top:0;background:var(--back);cursor:pointer}tr.on td{background:var(--on)}tr{cursor:pointer}\n"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6em;white-space:pre-wrap}.bad{color:var(--bad)}#state{color:var(--soft)}a{color:inherit}\n"
    "</style></head><body><h1 id=\"title\"></h1><div id=\"state\"></div>\n"
    "<div class=\"bar\"><label>x <select id=\"x\"></select></label> <label>y <select id=\"y\"></select></label>\n"
    "<label><span id=\"colour\"></span> <select id=\"c\"></select></label></div>\n"
    "<div class=\"plots\"><canvas id=\"scatter\" role=\"img\"></canvas><canvas id=\"lines\" role=\"img\"></canvas></div>\n"
    "<div id=\"one\"></div><div id=\"wrap\" tabindex=\"0\"><table id=\"table\"><thead></thead><tbody></tbody></table></div>\n"
    "<h2 id=\"failedhead\"></h2><div id=\"failed\"></div>\n"
    "<script>\n"
    "\"use strict\";\n"
    "const S=";
static const char tail[] =
    ";\n"
    "const $=i=>document.getElementById(i), N=S.names, R=S.rows, M=N.length, de=navigator.language.startsWith(\"de\");\n"
    "const W=de?{state:\"{0} von {1} Rechnungen sind da, {2} fehlgeschlagen\",part:\"; {0} davon stehen in dieser Seite\",colour:\"Farbe\",run:\"Rechnung\",play:\"Rechnung {0} abspielen\",copy:\"Klick kopiert\",first:\"die ersten 1000 von {0}\",failed:\"Fehlgeschlagene Rechnungen\",scatter:\"Punktdiagramm; die Zahlen stehen in der Tabelle\",lines:\"Parallele Koordinaten; die Zahlen stehen in der Tabelle\"}\n"
    "  :{state:\"{0} of {1} runs are there, {2} failed\",part:\"; {0} of them are in this page\",colour:\"colour\",run:\"run\",play:\"play run {0}\",copy:\"click to copy\",first:\"the first 1000 of {0}\",failed:\"Runs that failed\",scatter:\"scatter plot; its numbers are in the table\",lines:\"parallel coordinates; their numbers are in the table\"};\n"
    "const say=(w,...x)=>W[w].replace(/\\{(\\d)\\}/g,(_,i)=>x[i]);\n"
    "document.documentElement.lang=de?\"de\":\"en\";\n"
    "let on=-1, order=R.map((_,i)=>i), sorted=-1, up=true;\n"
    "const point=t=>de?t.replace(\".\",\",\"):t;\n"
    "const show=v=>v===null?\"-\":point(Number.isInteger(v)&&Math.abs(v)<1e9?String(v):v.toPrecision(6));\n"
    "const brief=v=>point(String(Number(v.toPrecision(4))));\n"
    "const span=k=>{let a=Infinity,b=-Infinity;for(const r of R){const v=r.v[k];if(v!==null){if(v<a)a=v;if(v>b)b=v}}\n"
    "  if(!(a<b)){a=Number.isFinite(a)?a-.5:-.5;b=a+1}return[a,b]};\n"
    "const spans=N.map((_,k)=>span(k));\n"
    "const part=(r,k)=>r.v[k]===null?null:(r.v[k]-spans[k][0])/(spans[k][1]-spans[k][0]);\n"
    "const shade=u=>u===null?\"#999\":`hsl(${(1-u)*240},70%,50%)`;\n"
    "const ink=n=>getComputedStyle(document.documentElement).getPropertyValue(n);\n"
    "const ticks=([a,b])=>{const d=(b-a)/5,p=10**Math.floor(Math.log10(d)),m=d/p,s=(m>5?10:m>2?5:m>1?2:1)*p,t=[];\n"
    "  for(let k=Math.ceil(a/s-1e-9);k*s<=b+1e-9*s;k++)t.push(k*s);return t};\n"
    "const paper=id=>{const c=$(id),k=devicePixelRatio||1,w=c.clientWidth,h=c.clientHeight,g=c.getContext(\"2d\");\n"
    "  c.width=Math.round(w*k);c.height=Math.round(h*k);g.setTransform(k,0,0,k,0,0);return{c,g,w,h}};\n"
    "document.title=S.title;$(\"title\").textContent=S.title;$(\"colour\").textContent=W.colour;\n"
    "$(\"scatter\").setAttribute(\"aria-label\",W.scatter);$(\"lines\").setAttribute(\"aria-label\",W.lines);\n"
    "$(\"state\").textContent=say(\"state\",S.done,S.runs,S.failures)+(R.length<S.done?say(\"part\",R.length):\"\");\n"
    "for(const id of[\"x\",\"y\",\"c\"])N.forEach((n,k)=>$(id).add(new Option(n,k)));\n"
    "const first=Math.min(S.parameters,M-1);\n"
    "$(\"x\").value=0;$(\"y\").value=first;$(\"c\").value=first;\n"
    "function scatter(){const{c,g,w,h}=paper(\"scatter\"),L=70,B=42,T=30;\n"
    "  const x=+$(\"x\").value,y=+$(\"y\").value,k=+$(\"c\").value;\n"
    "  g.font=\"12px system-ui\";g.strokeStyle=ink(\"--line\");g.strokeRect(L,T,w-L-T,h-B-T);\n"
    "  const at=(v,j)=>(v-spans[j][0])/(spans[j][1]-spans[j][0]);g.fillStyle=ink(\"--soft\");\n"
    "  g.textAlign=\"center\";for(const v of ticks(spans[x])){const X=L+at(v,x)*(w-L-T);g.fillText(brief(v),X,h-B+16);g.beginPath();g.moveTo(X,T);g.lineTo(X,h-B);g.stroke()}\n"
    "  g.textAlign=\"right\";for(const v of ticks(spans[y])){const Y=h-B-at(v,y)*(h-B-T);g.fillText(brief(v),L-6,Y+4);g.beginPath();g.moveTo(L,Y);g.lineTo(w-T,Y);g.stroke()}\n"
    "  g.fillStyle=ink(\"--ink\");g.textAlign=\"center\";g.fillText(N[x],L+(w-L-T)/2,h-8);g.textAlign=\"left\";g.fillText(N[y],8,18);\n"
    "  c.places=[];\n"
    "  R.forEach((r,i)=>{const a=part(r,x),b=part(r,y);if(a===null||b===null)return;\n"
    "    const X=L+a*(w-L-T),Y=h-B-b*(h-B-T);c.places.push([X,Y,i]);g.fillStyle=shade(part(r,k));\n"
    "    g.beginPath();g.arc(X,Y,i===on?6:R.length>2000?1.5:3,0,7);g.fill();\n"
    "    if(i===on){g.strokeStyle=ink(\"--ink\");g.stroke()}})}\n"
    "function lines(){const{g,w,h}=paper(\"lines\"),rows=M>7?2:1,T=22+16*rows,B=24,L=44;\n"
    "  const X=k=>M<2?w/2:L+k*(w-2*L)/(M-1),k=+$(\"c\").value;g.font=\"12px system-ui\";\n"
    "  const draw=i=>{const r=R[i];g.strokeStyle=i===on?ink(\"--ink\"):shade(part(r,k));g.globalAlpha=i===on?1:Math.max(.08,Math.min(.7,60/R.length));\n"
    "    g.lineWidth=i===on?2.5:1;g.beginPath();let pen=false;\n"
    "    for(let j=0;j<M;j++){const u=part(r,j);if(u===null){pen=false;continue}\n"
    "      const y=h-B-u*(h-B-T);if(pen)g.lineTo(X(j),y);else g.moveTo(X(j),y);pen=true}g.stroke()};\n"
    "  const most=4000,every=Math.max(1,Math.ceil(R.length/most));\n"
    "  for(let i=0;i<R.length;i+=every)draw(i);if(on>=0)draw(on);\n"
    "  g.globalAlpha=1;g.lineWidth=1;g.strokeStyle=ink(\"--soft\");g.textAlign=\"center\";\n"
    "  for(let j=0;j<M;j++){g.beginPath();g.moveTo(X(j),T);g.lineTo(X(j),h-B);g.stroke();\n"
    "    g.fillStyle=ink(\"--ink\");g.fillText(N[j],X(j),16+(rows>1&&j%2?16:0));\n"
    "    g.fillStyle=ink(\"--soft\");if(R.length){g.fillText(brief(spans[j][1]),X(j),T-4);g.fillText(brief(spans[j][0]),X(j),h-B+16)}}}\n"
    "function table(){const head=$(\"table\").tHead,body=$(\"table\").tBodies[0];\n"
    "  head.innerHTML=\"\";const tr=head.insertRow();\n"
    "  [W.run,...N].forEach((n,k)=>{const th=document.createElement(\"th\");th.tabIndex=0;\n"
    "    th.textContent=n+(k-1===sorted||(!k&&sorted===-2)?(up?\" \\u25b2\":\" \\u25bc\"):\"\");\n"
    "    th.onkeydown=e=>{if(e.key===\"Enter\")th.click()};\n"
    "    th.onclick=()=>{const s=k?k-1:-2;up=s===sorted?!up:true;sorted=s;\n"
    "      order.sort((a,b)=>{const p=s<0?R[a].n:R[a].v[s],q=s<0?R[b].n:R[b].v[s];\n"
    "        return p===q?R[a].n-R[b].n:p===null?1:q===null?-1:(p<q?-1:1)*(up?1:-1)});table()};tr.append(th)});\n"
    "  body.innerHTML=\"\";\n"
    "  for(const i of order.slice(0,1000)){const row=body.insertRow();row.className=i===on?\"on\":\"\";row.tabIndex=0;\n"
    "    row.insertCell().textContent=R[i].n;for(const v of R[i].v)row.insertCell().textContent=show(v);\n"
    "    row.onclick=()=>choose(i);row.onkeydown=e=>{if(e.key===\"Enter\")choose(i)}}\n"
    "  if(order.length>1000)body.insertRow().insertCell().textContent=\"... \"+say(\"first\",order.length)}\n"
    "const word=t=>/^[\\w./=+-]+$/.test(t)?t:\"'\"+t.replaceAll(\"'\",\"'\\\\''\")+\"'\";\n"
    "const settings=r=>N.slice(0,S.parameters).map((n,k)=>`--set ${n}=${r.v[k]}`).join(\" \");\n"
    "function choose(i){on=i;const r=R[i];\n"
    "  $(\"one\").innerHTML=\"\";const p=document.createElement(\"p\"),c=document.createElement(\"pre\");\n"
    "  p.textContent=`${W.run} ${r.n}: `+N.map((n,k)=>`${n} = ${show(r.v[k])}`).join(de?\"; \":\", \");\n"
    "  c.textContent=`flexion run ${word(S.model)} ${S.settings}${settings(r)} -o run${r.n}.h5 && flexion view run${r.n}.h5`;\n"
    "  c.title=W.copy;c.onclick=()=>navigator.clipboard&&navigator.clipboard.writeText(c.textContent);\n"
    "  const a=document.createElement(\"a\"),own=S.pages[r.n],served=location.protocol.startsWith(\"http\");\n"
    "  if(own||served){a.textContent=say(\"play\",r.n);a.target=\"_blank\";a.href=served?`run${r.n}`:encodeURIComponent(own);p.append(\" \",a)}\n"
    "  $(\"one\").append(p,c);scatter();lines();\n"
    "  for(const row of $(\"table\").tBodies[0].rows)row.className=row.cells[0].textContent===String(r.n)?\"on\":\"\"}\n"
    "function pick(e){const c=$(\"scatter\"),b=c.getBoundingClientRect(),x=e.clientX-b.left,y=e.clientY-b.top;\n"
    "  let best=-1,d=200;for(const[X,Y,i]of c.places){const q=(X-x)**2+(Y-y)**2;if(q<d){d=q;best=i}}if(best>=0)choose(best)}\n"
    "const both=()=>{scatter();lines()};\n"
    "$(\"scatter\").onclick=pick;for(const id of[\"x\",\"y\",\"c\"])$(id).onchange=both;\n"
    "addEventListener(\"resize\",both);matchMedia(\"(prefers-color-scheme: dark)\").addEventListener(\"change\",both);\n"
    "both();table();\n"
    "$(\"failedhead\").textContent=S.failed.length?W.failed:\"\";\n"
    "for(const f of S.failed){const d=document.createElement(\"pre\");d.className=\"bad\";d.textContent=`${W.run} ${f.n}: ${f.text}`;$(\"failed\").append(d)}\n"
    "</script></body></html>\n";
// clang-format on

bool study_page_is_folder(const char *path)
{
    char plan[4200];
    struct stat is;
    snprintf(plan, sizeof plan, "%.4000s/plan", path);
    return stat(plan, &is) == 0;
}

// A text of JavaScript that no HTML ends.
static void write_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(f, "\\%c", *c);
        } else if (*c < ' ' || *c == '<') {
            fprintf(f, "\\u%04x", *c);
        } else {
            fputc(*c, f);
        }
    }
    fputc('"', f);
}

typedef struct kept {
    sweep_table table;
    int *runs; // (rows) their numbers
    int n, every, seen;
} kept;

static flx_status keep_row(void *user, int run, int n, const char *const *names,
                           const double *values)
{
    kept *k = user;
    if (k->seen++ % k->every != 0 || k->n == MOST_ROWS) return FLX_OK;
    sweep_table_add_row(&k->table);
    for (int i = 0; i < n && !k->table.failed; i++) sweep_table_set(&k->table, names[i], values[i]);
    k->runs[k->n++] = run;
    return k->table.failed ? FLX_ERR_MEMORY : FLX_OK;
}

static void write_rows(FILE *f, const kept *k)
{
    const sweep_table *t = &k->table;
    fputs("rows:[", f);
    for (int i = 0; i < t->nrow; i++) {
        fprintf(f, "%s{n:%d,v:[", i ? ",\n" : "", k->runs[i] + 1);
        for (int j = 0; j < t->ncolumn; j++) {
            double v = t->values[(size_t)i * (size_t)t->width + (size_t)j];
            if (isfinite(v)) {
                fprintf(f, "%s%.17g", j ? "," : "", v);
            } else {
                fprintf(f, "%snull", j ? "," : "");
            }
        }
        fputs("]}", f);
    }
    fputs("],\n", f);
}

static void write_failures(FILE *f, flx_folder *folder)
{
    int shown = 0, runs = flx_folder_get_plan(folder)->runs;
    fputs("failed:[", f);
    for (int run = 0; run < runs && shown < MOST_FAILED; run++) {
        if (!flx_folder_has_failed(folder, run)) continue;
        const char *text = flx_folder_failure(folder, run);
        fprintf(f, "%s{n:%d,text:", shown++ ? ",\n" : "", run + 1);
        write_string(f, text ? text : "");
        fputs("}", f);
    }
    fputs("],\n", f);
}

// How many of the first columns are parameters of the sweep, and the title of the model; a model that is gone has none.
static int ask_model(const flx_folder_plan *plan, const sweep_table *t, char *title, size_t room)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    const char *name;
    int n = 0;
    snprintf(title, room, "%s", plan->model);
    if (ctx && cli_model_read(ctx, plan->model, plan->nsetting, plan->settings, &model) == FLX_OK) {
        while (n < t->ncolumn && (name = flx_model_sweep_parameter(model, n)) != NULL &&
               strcmp(name, t->names[n]) == 0)
            n++;
    }
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return n;
}

// Pages of some runs, evenly: their names by their numbers.
static int write_pages(FILE *f, const kept *k, const study_play *p)
{
    int most = p->most < k->n ? p->most : k->n, code = EXIT_DONE;
    fputs("pages:{", f);
    for (int i = 0; i < most && code == EXIT_DONE && !cli_was_interrupted(); i++) {
        int run = k->runs[most > 1 ? (int)((long long)i * (k->n - 1) / (most - 1)) : 0];
        char *path = study_play_name(p, run + 1);
        code = path ? study_play_write(p, run, path) : EXIT_FAILED;
        if (code == EXIT_DONE) {
            const char *slash = strrchr(path, '/');
            fprintf(f, "%s%d:", i ? "," : "", run + 1);
            write_string(f, slash ? slash + 1 : path);
        }
        free(path);
    }
    fputs("},\n", f);
    return code;
}

static flx_status write_page(flx_ctx *ctx, flx_folder *folder, const kept *k,
                             const flx_folder_status *s, const study_play *p)
{
    const flx_folder_plan *plan = flx_folder_get_plan(folder);
    flx_output *o = NULL;
    char title[1000];
    int parameters = ask_model(plan, &k->table, title, sizeof title);
    flx_status status = flx_output_create(ctx, "the page", p->page, &o);
    if (status != FLX_OK) return status;
    FILE *f = flx_output_file(o);
    fputs(head, f);
    fputs("{title:", f);
    write_string(f, title);
    fprintf(f, ",runs:%d,done:%d,failures:%d,parameters:%d,model:", s->runs, s->done, s->failed,
            parameters);
    write_string(f, plan->model);
    fputs(",settings:\"", f);
    for (int i = 0; i < plan->nsetting; i++) {
        fputs("\"+\"--set \"+", f);
        write_string(f, plan->settings[i]);
        fputs("+\" ", f);
    }
    fputs("\",\nnames:[", f);
    for (int j = 0; j < k->table.ncolumn; j++) {
        if (j) fputc(',', f);
        write_string(f, k->table.names[j]);
    }
    fputs("],\n", f);
    write_rows(f, k);
    write_failures(f, folder);
    int code = write_pages(f, k, p);
    fputs("}", f);
    fputs(tail, f);
    return flx_output_close(&o, code == EXIT_DONE ? FLX_OK : FLX_ERR_CANNOT);
}

int study_page_write(flx_ctx *ctx, const study_play *p)
{
    flx_folder *folder = NULL;
    flx_folder_status s = {0};
    kept k = {.every = 1};
    flx_status status = flx_folder_open(ctx, p->folder, &folder);
    if (status == FLX_OK) {
        k.every = 1 + (flx_folder_get_plan(folder)->runs - 1) / MOST_ROWS;
        k.runs = calloc(MOST_ROWS, sizeof *k.runs);
        status = k.runs ? flx_folder_gather(folder, keep_row, &k, &s) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK && s.done == 0 && s.failed == 0) {
        cli_complain("view", "no run of '%s' is done yet", p->folder);
        status = FLX_ERR_ARGUMENT;
    }
    if (status == FLX_OK) status = write_page(ctx, folder, &k, &s, p);
    if (status == FLX_OK)
        printf("%s  %d of %d runs, %d failed\n", p->page, s.done, s.runs, s.failed);
    cli_print_errors(ctx);
    free(k.runs);
    sweep_table_clear(&k.table);
    flx_folder_close(&folder);
    return status == FLX_OK ? EXIT_DONE : cli_exit_of(status);
}
