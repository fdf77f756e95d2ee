/**
 * The OpenAPI 3.1 document of the whole server, {@code openapi.json} in this package's resources, written by hand. {@link
 * dev.prpf.par.serve.openapi.OpenApiRoutes} serves it. A test checks it against OpenAPI's rules and against a server's paths.
 */
@NullMarked
package dev.prpf.par.serve.openapi;

import org.jspecify.annotations.NullMarked;
