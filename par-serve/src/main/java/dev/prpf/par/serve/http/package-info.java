/**
 * The server's floor: HTTP/1.1 on Javalin (Jetty), and what every path shares. {@link dev.prpf.par.serve.http.ApiServer} starts, guards, drains
 * and stops; a wing of the API is {@link dev.prpf.par.serve.http.Routes}; a handler reads its body with {@link
 * dev.prpf.par.serve.http.RequestBody} and refuses by throwing {@link dev.prpf.par.serve.http.ApiException}. In front of all stands {@code
 * RequestGate}, which keeps threads free, and what Jetty refuses looks like {@code RefusalPage}. API keys share every capacity by {@link
 * dev.prpf.par.serve.http.KeyShare}, and take turns in {@link dev.prpf.par.serve.http.FairQueue} and {@link
 * dev.prpf.par.serve.http.FairGate}. Invariants: one key never holds all of a capacity that several keys share; no content of a request reaches a
 * log or a message that is not its own caller's; nothing in a request is opened as a path or an address.
 */
@NullMarked
package dev.prpf.par.serve.http;

import org.jspecify.annotations.NullMarked;
