/**
 * The playground: one page at {@code /} to try the server with, of plain HTML, CSS and JavaScript under {@code resources/dev/prpf/par/serve/page}.
 * {@link dev.prpf.par.serve.page.PageRoutes} serves it. {@code app.js} is the page's course; {@code records.js} and {@code editor.js} are the
 * moment, {@code api.js} is the server, {@code gate.js}, {@code answer.js}, {@code cost.js}, {@code replay.js} and {@code history.js} draw what
 * came. Invariants: no script, style or picture from elsewhere or inline (the Content-Security-Policy forbids it); texts of a request or an
 * answer are put in as text, never as markup; a browser keeps nothing but the API key, for its tab.
 */
@NullMarked
package dev.prpf.par.serve.page;

import org.jspecify.annotations.NullMarked;
