/**
 * What the whole server answers, as an OpenAPI 3.1 document: {@code openapi.json} beside this package, kept by hand. {@link
 * dev.prpf.par.serve.openapi.OpenApiRoutes} serves it; a test holds it against OpenAPI's rules and against the paths that a server has.
 */
@NullMarked
package dev.prpf.par.serve.openapi;

import org.jspecify.annotations.NullMarked;
