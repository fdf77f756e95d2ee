package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.http.TimedExchange;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Requests to the hub and to where it sends us on; the token goes to the endpoint's own origin only. */
final class HubTransport {
    private static final int REDIRECTS = 10;

    private final HubEnvironment environment;
    private final HttpClient client;

    HubTransport(HubEnvironment environment) {
        this.environment = environment;
        this.client = TimedExchange.client(environment.listingTimeout());
    }

    HttpClient client() {
        return client;
    }

    /** One request, sent. */
    @FunctionalInterface
    interface Exchange<T> {
        HttpResponse<T> send(HttpRequest request) throws IOException, InterruptedException;
    }

    /**
     * Asks with GET and goes where the answers point.
     *
     * @param errors judges the last answer
     */
    <T> HttpResponse<T> follow(URI start, Exchange<T> exchange, HubErrors errors)
            throws IOException, InterruptedException {
        return follow(start, Map.of(), exchange, errors);
    }

    /** The same with further headers. */
    <T> HttpResponse<T> follow(URI start, Map<String, String> headers, Exchange<T> exchange, HubErrors errors)
            throws IOException, InterruptedException {
        URI address = start;
        for (int hop = 0; hop <= REDIRECTS; hop++) {
            HttpResponse<T> response = exchange.send(request(address, headers));
            if (response.statusCode() < 300) {
                return response;
            }
            discard(response);
            errors.require(address, response);
            String location = response.headers().firstValue("Location").orElse("");
            address = next(address, location);
        }
        throw new UnavailableException(start + ": sent on more than " + REDIRECTS + " times");
    }

    private HttpRequest request(URI address, Map<String, String> headers) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(address)
                .timeout(environment.listingTimeout())
                .header("User-Agent", "prpf")
                .header("Accept-Encoding", "identity");
        headers.forEach(builder::header);
        if (environment.token() != null && origin(address).equals(origin(URI.create(environment.endpoint())))) {
            builder.header("Authorization", "Bearer " + environment.token());
        }
        return builder.build();
    }

    /**
     * Where an answer points.
     *
     * @param location an address, or one that counts from {@code from}
     * @throws PrpfException 69 for what is none
     */
    static URI next(URI from, String location) {
        try {
            URI next = from.resolve(location);
            boolean http = "http".equalsIgnoreCase(next.getScheme());
            boolean https = "https".equalsIgnoreCase(next.getScheme());
            if (next.getHost() != null && (https || (http && "http".equalsIgnoreCase(from.getScheme())))) {
                return next;
            }
        } catch (IllegalArgumentException noAddress) {
            // Told below with the other wrong addresses.
        }
        throw new UnavailableException(
                from.getHost() + " sends on to \"" + location + "\": must be an http address, and https after https");
    }

    private static String origin(URI address) {
        int standard = "https".equalsIgnoreCase(address.getScheme()) ? 443 : 80;
        return (address.getScheme() + "://" + Objects.requireNonNull(address.getHost()) + ":"
                        + (address.getPort() < 0 ? standard : address.getPort()))
                .toLowerCase(Locale.ROOT);
    }

    /** An answer whose body is a stream holds its connection until that is closed. */
    private static void discard(HttpResponse<?> response) throws IOException {
        if (response.body() instanceof InputStream body) {
            body.close();
        }
    }
}
