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
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title></title><style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1.2em;color:#1b1f24;background:#fff}h1{font-size:1.25em;margin:0 0 .2em}\n"
    ".bar{margin:.5em 0}select{font:inherit}canvas{border:1px solid #d5dae0;background:#fff;max-width:100%}\n"
    ".plots{display:flex;flex-wrap:wrap;gap:1em}#wrap{max-height:24em;overflow:auto;border:1px solid #d5dae0;margin-top:1em}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15em .6em;text-align:right;white-space:nowrap}\n"
    "th{position:sticky;top:0;background:#eef2f6;cursor:pointer}tr.on td{background:#ffe9c7}tr{cursor:pointer}\n"
    "pre{background:#f4f6f8;padding:.6em;white-space:pre-wrap}.bad{color:#a3261c}\n"
    "</style></head><body><h1 id=\"title\"></h1><div id=\"state\"></div>\n"
    "<div class=\"bar\"><label>x <select id=\"x\"></select></label> <label>y <select id=\"y\"></select></label>\n"
    "<label>colour <select id=\"c\"></select></label></div>\n"
    "<div class=\"plots\"><canvas id=\"scatter\" width=\"560\" height=\"400\"></canvas><canvas id=\"lines\" width=\"760\" height=\"400\"></canvas></div>\n"
    "<div id=\"one\"></div><div id=\"wrap\"><table id=\"table\"><thead></thead><tbody></tbody></table></div>\n"
    "<h2 id=\"failedhead\"></h2><div id=\"failed\"></div>\n"
    "<script>\n"
    "\"use strict\";\n"
    "const S=";
static const char tail[] =
    ";\n"
    "const $=i=>document.getElementById(i), N=S.names, R=S.rows, M=N.length;\n"
    "let on=-1, order=R.map((_,i)=>i), sorted=-1, up=true;\n"
    "const show=v=>v===null?\"-\":Number.isInteger(v)&&Math.abs(v)<1e9?String(v):v.toPrecision(6);\n"
    "const span=k=>{let a=Infinity,b=-Infinity;for(const r of R){const v=r.v[k];if(v!==null){if(v<a)a=v;if(v>b)b=v}}\n"
    "  if(!(a<b)){a-=.5;b+=.5}return[a,b]};\n"
    "const spans=N.map((_,k)=>span(k));\n"
    "const part=(r,k)=>r.v[k]===null?null:(r.v[k]-spans[k][0])/(spans[k][1]-spans[k][0]);\n"
    "const shade=u=>u===null?\"#999\":`hsl(${(1-u)*240},70%,45%)`;\n"
    "document.title=S.title;$(\"title\").textContent=S.title;\n"
    "$(\"state\").textContent=`${S.done} of ${S.runs} runs are there, ${S.failures} failed`+(R.length<S.done?`; ${R.length} of them are in this page`:\"\");\n"
    "for(const id of[\"x\",\"y\",\"c\"])N.forEach((n,k)=>$(id).add(new Option(n,k)));\n"
    "const first=Math.min(S.parameters,M-1);\n"
    "$(\"x\").value=0;$(\"y\").value=first;$(\"c\").value=first;\n"
    "function scatter(){const c=$(\"scatter\"),g=c.getContext(\"2d\"),w=c.width,h=c.height,L=64,B=40,T=34;\n"
    "  const x=+$(\"x\").value,y=+$(\"y\").value,k=+$(\"c\").value;\n"
    "  g.clearRect(0,0,w,h);g.fillStyle=\"#1b1f24\";g.font=\"12px system-ui\";g.strokeStyle=\"#9aa4ae\";\n"
    "  g.strokeRect(L,T,w-L-T,h-B-T);\n"
    "  for(let i=0;i<=4;i++){const u=i/4;g.textAlign=\"center\";\n"
    "    g.fillText(show(spans[x][0]+u*(spans[x][1]-spans[x][0])),L+u*(w-L-T),h-B+16);g.textAlign=\"right\";\n"
    "    g.fillText(show(spans[y][0]+u*(spans[y][1]-spans[y][0])),L-5,h-B-u*(h-B-T)+4)}\n"
    "  g.textAlign=\"center\";g.fillText(N[x],L+(w-L-T)/2,h-8);g.textAlign=\"left\";g.fillText(N[y],4,14);\n"
    "  c.places=[];\n"
    "  R.forEach((r,i)=>{const a=part(r,x),b=part(r,y);if(a===null||b===null)return;\n"
    "    const X=L+a*(w-L-T),Y=h-B-b*(h-B-T);c.places.push([X,Y,i]);g.fillStyle=shade(part(r,k));\n"
    "    g.beginPath();g.arc(X,Y,i===on?6:R.length>2000?1.5:3,0,7);g.fill();\n"
    "    if(i===on){g.strokeStyle=\"#000\";g.stroke()}})}\n"
    "function lines(){const c=$(\"lines\"),g=c.getContext(\"2d\"),w=c.width,h=c.height,T=26,B=26,L=40;\n"
    "  const X=k=>M<2?w/2:L+k*(w-2*L)/(M-1),k=+$(\"c\").value;\n"
    "  g.clearRect(0,0,w,h);g.font=\"11px system-ui\";\n"
    "  const draw=i=>{const r=R[i];g.strokeStyle=i===on?\"#000\":shade(part(r,k));g.globalAlpha=i===on?1:Math.max(.06,Math.min(.7,60/R.length));\n"
    "    g.lineWidth=i===on?2.5:1;g.beginPath();let pen=false;\n"
    "    for(let j=0;j<M;j++){const u=part(r,j);if(u===null){pen=false;continue}\n"
    "      const y=h-B-u*(h-B-T);if(pen)g.lineTo(X(j),y);else g.moveTo(X(j),y);pen=true}g.stroke()};\n"
    "  const most=4000,every=Math.max(1,Math.ceil(R.length/most));\n"
    "  for(let i=0;i<R.length;i+=every)draw(i);if(on>=0)draw(on);\n"
    "  g.globalAlpha=1;g.lineWidth=1;g.strokeStyle=\"#555\";g.fillStyle=\"#1b1f24\";g.textAlign=\"center\";\n"
    "  for(let j=0;j<M;j++){g.beginPath();g.moveTo(X(j),T);g.lineTo(X(j),h-B);g.stroke();\n"
    "    g.fillText(N[j],X(j),j%2?10:h-2);g.fillText(show(spans[j][1]),X(j),T-4);g.fillText(show(spans[j][0]),X(j),h-B+12)}}\n"
    "function table(){const head=$(\"table\").tHead,body=$(\"table\").tBodies[0];\n"
    "  head.innerHTML=\"\";const tr=head.insertRow();\n"
    "  [\"run\",...N].forEach((n,k)=>{const th=document.createElement(\"th\");\n"
    "    th.textContent=n+(k-1===sorted||(!k&&sorted===-2)?(up?\" \\u25b2\":\" \\u25bc\"):\"\");\n"
    "    th.onclick=()=>{const s=k?k-1:-2;up=s===sorted?!up:true;sorted=s;\n"
    "      order.sort((a,b)=>{const p=s<0?R[a].n:R[a].v[s],q=s<0?R[b].n:R[b].v[s];\n"
    "        return p===q?R[a].n-R[b].n:p===null?1:q===null?-1:(p<q?-1:1)*(up?1:-1)});table()};tr.append(th)});\n"
    "  body.innerHTML=\"\";\n"
    "  for(const i of order.slice(0,1000)){const row=body.insertRow();row.className=i===on?\"on\":\"\";\n"
    "    row.insertCell().textContent=R[i].n;for(const v of R[i].v)row.insertCell().textContent=show(v);\n"
    "    row.onclick=()=>choose(i)}\n"
    "  if(order.length>1000)body.insertRow().insertCell().textContent=\"... the first 1000 of \"+order.length}\n"
    "const settings=r=>N.slice(0,S.parameters).map((n,k)=>`--set ${n}=${r.v[k]}`).join(\" \");\n"
    "function choose(i){on=i;const r=R[i];\n"
    "  $(\"one\").innerHTML=\"\";const p=document.createElement(\"p\"),c=document.createElement(\"pre\");\n"
    "  p.textContent=`Run ${r.n}: `+N.map((n,k)=>`${n} = ${show(r.v[k])}`).join(\", \");\n"
    "  c.textContent=`flexion run ${S.model} ${S.settings}${settings(r)} -o run${r.n}.h5 && flexion view run${r.n}.h5`;\n"
    "  c.title=\"click to copy\";c.onclick=()=>navigator.clipboard&&navigator.clipboard.writeText(c.textContent);\n"
    "  const a=document.createElement(\"a\"),own=S.pages[r.n],served=location.protocol.startsWith(\"http\");\n"
    "  if(own||served){a.textContent=`play run ${r.n}`;a.target=\"_blank\";a.href=served?`run${r.n}`:encodeURIComponent(own);p.append(\" \",a)}\n"
    "  $(\"one\").append(p,c);scatter();lines();table()}\n"
    "function pick(e){const c=$(\"scatter\"),b=c.getBoundingClientRect(),x=(e.clientX-b.left)*c.width/b.width,y=(e.clientY-b.top)*c.height/b.height;\n"
    "  let best=-1,d=200;for(const[X,Y,i]of c.places){const q=(X-x)**2+(Y-y)**2;if(q<d){d=q;best=i}}if(best>=0)choose(best)}\n"
    "$(\"scatter\").onclick=pick;for(const id of[\"x\",\"y\",\"c\"])$(id).onchange=()=>{scatter();lines()};\n"
    "scatter();lines();table();\n"
    "$(\"failedhead\").textContent=S.failed.length?\"Runs that failed\":\"\";\n"
    "for(const f of S.failed){const d=document.createElement(\"pre\");d.className=\"bad\";d.textContent=`run ${f.n}: ${f.text}`;$(\"failed\").append(d)}\n"
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
