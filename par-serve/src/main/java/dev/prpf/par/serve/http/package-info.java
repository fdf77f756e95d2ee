/**
 * The HTTP layer of the server: HTTP/1.1 on Javalin (Jetty), and the parts that all paths share. {@link dev.prpf.par.serve.http.ApiServer} starts,
 * guards, drains and stops. Each component's paths are a {@link dev.prpf.par.serve.http.Routes}. A handler reads its body with {@link
 * dev.prpf.par.serve.http.RequestBody} and refuses by throwing {@link dev.prpf.par.serve.http.ApiException}. {@code RequestGate} precedes all
 * handlers and keeps threads free. {@code RefusalPage} formats Jetty's own errors. API keys share every capacity by {@link
 * dev.prpf.par.serve.http.KeyShare}, and take turns in {@link dev.prpf.par.serve.http.FairGate.FairQueue} and {@link dev.prpf.par.serve.http.FairGate}.
 * Invariants: one key never holds all of a shared capacity. Logs hold no content of requests, and messages only that of their own client. Nothing in
 * a request is opened as a path or an address.
 */
@NullMarked
package dev.prpf.par.serve.http;

import org.jspecify.annotations.NullMarked;
