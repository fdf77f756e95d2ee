package dev.prpf.base.hub;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.base.hub.HubRequest.Repository;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the hub and follows its redirects: commits of revisions, files of commits, and contents. The token goes to
 * the endpoint's own origin only.
 */
record HubClient(HubEnvironment environment, HubRequest request, Retrier retrier, HttpClient http) {
    static final int NO_SUCH_RANGE = 416;
    /** Maximum number of pages of a listing; a page has up to a thousand entries. */
    static final int MAX_PAGES = 2_000;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_FILES = 1_000_000;
    private static final int REDIRECTS = 10;
    private static final Pattern NEXT = Pattern.compile("<([^>]+)>\\s*;\\s*rel=\"next\"");

    @FunctionalInterface
    interface Exchange<T> {
        HttpResponse<T> send(HttpRequest request) throws IOException, InterruptedException;
    }

    /**
     * Returns the commit of the revision.
     *
     * @throws PrpfException 69 if the revision does not exist or the hub does not answer
     */
    String commit() {
        URI address = api("/revision/" + quoted(request.revision()));
        String commit = parse(address, get(address)).path("sha").asText();
        if (!HubRequest.isCommit(commit)) {
            throw new InvalidDataException(
                    address + ": answered without a commit (\"sha\"); is it a Hugging Face hub?");
        }
        return commit;
    }

    /**
     * Returns the files of a commit by path.
     *
     * @throws PrpfException 65 for an invalid listing, 69 if the hub does not answer
     */
    Collection<HubFile> files(String commit) {
        Map<String, HubFile> files = new TreeMap<>();
        Set<URI> read = new HashSet<>();
        URI page = api("/tree/" + commit + "?recursive=true&expand=false");
        while (page != null) {
            if (!read.add(page)) {
                throw new InvalidDataException(
                        page + ": follows itself in the list of files; is it a Hugging Face hub?");
            }
            HttpResponse<byte[]> response = get(page);
            JsonNode entries = parse(page, response);
            if (!entries.isArray()) {
                throw new InvalidDataException(page + ": answered without a list of files; is it a Hugging Face hub?");
            }
            for (JsonNode entry : entries) {
                if (entry.path("type").asText().equals("file")) {
                    HubFile file = file(page, entry);
                    if (files.put(file.path(), file) != null) {
                        throw new InvalidDataException(page + ": file name \"" + file.path() + "\" is a duplicate");
                    }
                }
            }
            page = next(page, response);
            if (read.size() > MAX_PAGES || files.size() > MAX_FILES) {
                throw new InvalidDataException(request.what() + ": its list of files has more than " + MAX_PAGES
                        + " pages or " + MAX_FILES + " files, and still does not end; is it a Hugging Face hub?");
            }
        }
        return files.values();
    }

    URI content(String commit, HubFile file) {
        Repository repository = request.repository();
        return address("/" + repository.type().prefix + repository.id() + "/resolve/" + commit + "/"
                + Arrays.stream(file.path().split("/", -1))
                        .map(HubClient::quoted)
                        .collect(Collectors.joining("/")));
    }

    private HttpResponse<byte[]> get(URI address) {
        try {
            return retrier.run(() ->
                    follow(address, Map.of(), one -> TimedExchange.send(http, one, environment.listingTimeout())));
        } catch (IOException e) {
            throw errors().unreachable(address, e);
        } catch (InterruptedException e) {
            throw HubErrors.interrupted(e);
        }
    }

    HubErrors errors() {
        return new HubErrors(request, environment);
    }

    private static HubFile file(URI page, JsonNode entry) {
        try {
            JsonNode lfs = entry.path("lfs");
            return new HubFile(
                    entry.path("path").asText(),
                    lfs.path("size").asLong(entry.path("size").asLong(-1)),
                    entry.path("oid").asText(),
                    lfs.hasNonNull("oid") ? lfs.path("oid").asText() : null);
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(page + ": " + e.getMessage());
        }
    }

    private static JsonNode parse(URI address, HttpResponse<byte[]> response) {
        try {
            return JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(
                    address + ": did not answer with JSON; is it a Hugging Face hub? (" + e.getOriginalMessage() + ")");
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory cannot be read", e);
        }
    }

    private static @Nullable URI next(URI page, HttpResponse<?> response) {
        return response.headers().allValues("Link").stream()
                .map(NEXT::matcher)
                .filter(Matcher::find)
                .findFirst()
                .map(link -> resolved(page, link.group(1)))
                .orElse(null);
    }

    private URI api(String path) {
        return address("/api/" + request.repository().type().plural + "/"
                + request.repository().id() + path);
    }

    private URI address(String path) {
        return URI.create(environment.endpoint() + path);
    }

    private static String quoted(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * Sends a GET request and follows redirects.
     *
     * @param headers in addition to those of every request
     * @return a response below 300, or 416 for a range beyond the content
     */
    <T> HttpResponse<T> follow(URI start, Map<String, String> headers, Exchange<T> exchange)
            throws IOException, InterruptedException {
        URI address = start;
        for (int hop = 0; hop <= REDIRECTS; hop++) {
            HttpResponse<T> response = exchange.send(request(address, headers));
            if (response.statusCode() < 300 || response.statusCode() == NO_SUCH_RANGE) {
                return response;
            }
            if (response.body() instanceof InputStream body) {
                body.close(); // a stream holds its connection until then
            }
            errors().require(address, response);
            String location = response.headers().firstValue("Location").orElse("");
            address = resolved(address, location);
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
     * Resolves a redirect or link.
     *
     * @param location an address, absolute or relative to {@code from}
     * @throws PrpfException 69 for an invalid address
     */
    private static URI resolved(URI from, String location) {
        try {
            URI next = from.resolve(location);
            boolean plain = "http".equalsIgnoreCase(next.getScheme());
            boolean https = "https".equalsIgnoreCase(next.getScheme());
            if (next.getHost() != null && (https || (plain && "http".equalsIgnoreCase(from.getScheme())))) {
                return next;
            }
        } catch (IllegalArgumentException noAddress) {
            // Reported below like other invalid addresses.
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
}
