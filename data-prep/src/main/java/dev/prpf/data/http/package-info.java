/**
 * What our HTTP clients share: {@link dev.prpf.data.http.Retrier} tries again with back-off and obeys {@code Retry-After}, {@link
 * dev.prpf.data.http.TimedExchange} bounds a whole exchange in time.
 */
@NullMarked
package dev.prpf.data.http;

import org.jspecify.annotations.NullMarked;
