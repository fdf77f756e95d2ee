/**
 * What our HTTP clients share: {@link dev.prpf.base.http.Retrier} tries again with back-off and obeys {@code Retry-After}, {@link
 * dev.prpf.base.http.TimedExchange} bounds a whole exchange in time, and {@link dev.prpf.base.http.ContentEncoding} unpacks its body.
 */
@NullMarked
package dev.prpf.base.http;

import org.jspecify.annotations.NullMarked;
