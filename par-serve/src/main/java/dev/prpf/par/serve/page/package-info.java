/**
 * The playground: one page at {@code /} to try the server, in plain HTML, CSS and JavaScript under {@code resources/dev/prpf/par/serve/page}. {@link
 * dev.prpf.par.serve.page.PageRoutes} serves it. {@code app.js} is the main script; {@code records.js} and {@code editor.js} edit the sample; {@code
 * api.js} calls the server. {@code gate.js}, {@code answer.js}, {@code cost.js}, {@code replay.js} and {@code history.js} draw the results.
 * Invariants: no script, style or image is inline or from elsewhere (Content-Security-Policy). Texts are inserted as text, never as markup. A browser
 * stores only the API key, for its tab.
 * {@code OpenApiRoutes} serves the OpenAPI 3.1 document of the whole server, {@code openapi.json}, written by hand and checked by a test.
 */
@NullMarked
package dev.prpf.par.serve.page;

import org.jspecify.annotations.NullMarked;
