/**
 * Parts of HTTP clients: {@link dev.prpf.base.http.Retrier} retries with back-off and honours {@code Retry-After}.
 * {@link dev.prpf.base.http.TimedExchange} limits time and size, {@link dev.prpf.base.http.TimedExchange.ContentEncoding} decompresses bodies.
 */
@NullMarked
package dev.prpf.base.http;

import org.jspecify.annotations.NullMarked;
