package dev.prpf.base.hub;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the hub says of a repository: which commit a revision is, which files a commit has, where a file lies. */
final class HubApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Pages of a listing at most; a page has up to a thousand entries. */
    static final int MAX_PAGES = 2_000;

    private static final int MAX_FILES = 1_000_000;

    private static final Pattern NEXT = Pattern.compile("<([^>]+)>\\s*;\\s*rel=\"next\"");

    private final HubEnvironment environment;
    private final HubTransport transport;
    private final Retrier retrier;

    HubApi(HubEnvironment environment, HubTransport transport, Retrier retrier) {
        this.environment = environment;
        this.transport = transport;
        this.retrier = retrier;
    }

    /**
     * The commit a revision stands for.
     *
     * @throws PrpfException 69 where the hub has none or does not answer
     */
    String commit(HubRequest request) {
        URI address = address("/api/" + request.repository().type().plural + "/"
                + request.repository().id() + "/revision/" + quoted(request.revision()));
        String commit = parse(address, get(request, address)).path("sha").asText();
        if (!HubRequest.isCommit(commit)) {
            throw new InvalidDataException(
                    address + ": answered without a commit (\"sha\"); is it a Hugging Face hub?");
        }
        return commit;
    }

    /**
     * The files of a commit.
     *
     * @throws PrpfException 65 for a listing that cannot be right, 69 where the hub does not answer
     */
    HubListing listing(HubRequest request, String commit) {
        List<HubFile> files = new ArrayList<>();
        Set<URI> read = new HashSet<>();
        URI page = address("/api/" + request.repository().type().plural + "/"
                + request.repository().id() + "/tree/" + commit + "?recursive=true&expand=false");
        while (page != null) {
            if (!read.add(page)) {
                throw new InvalidDataException(
                        page + ": is said to follow itself in the list of files; is it a Hugging Face hub?");
            }
            HttpResponse<byte[]> response = get(request, page);
            JsonNode entries = parse(page, response);
            if (!entries.isArray()) {
                throw new InvalidDataException(page + ": answered without a list of files; is it a Hugging Face hub?");
            }
            for (JsonNode entry : entries) {
                if (entry.path("type").asText().equals("file")) {
                    files.add(file(page, entry));
                }
            }
            page = next(page, response);
            if (read.size() > MAX_PAGES || files.size() > MAX_FILES) {
                throw new InvalidDataException(request.what() + ": its list of files has more than " + MAX_PAGES
                        + " pages or " + MAX_FILES + " files, and still does not end; is it a Hugging Face hub?");
            }
        }
        try {
            return new HubListing(commit, files);
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(request.what() + ": " + e.getMessage());
        }
    }

    /** Where a file of a commit is fetched. */
    URI content(Repository repository, String commit, HubFile file) {
        return address("/" + repository.type().prefix + repository.id() + "/resolve/" + commit + "/"
                + Arrays.stream(file.path().split("/", -1)).map(HubApi::quoted).collect(Collectors.joining("/")));
    }

    private HttpResponse<byte[]> get(HubRequest request, URI address) {
        try {
            return retrier.run(() -> transport.follow(
                    address,
                    one -> TimedExchange.send(transport.client(), one, environment.listingTimeout()),
                    HubErrors.of(request, environment)));
        } catch (IOException e) {
            throw HubErrors.unreachable(environment, address, e);
        } catch (InterruptedException e) {
            throw HubErrors.interrupted(e);
        }
    }

    private static HubFile file(URI page, JsonNode entry) {
        try {
            JsonNode lfs = entry.path("lfs");
            return new HubFile(
                    entry.path("path").asText(),
                    lfs.path("size").asLong(entry.path("size").asLong(-1)),
                    entry.path("oid").asText(),
                    lfs.hasNonNull("oid") ? lfs.path("oid").asText() : null,
                    entry.hasNonNull("xetHash") ? entry.path("xetHash").asText() : null);
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
        for (String link : response.headers().allValues("Link")) {
            Matcher matcher = NEXT.matcher(link);
            if (matcher.find()) {
                return HubTransport.next(page, matcher.group(1));
            }
        }
        return null;
    }

    private URI address(String path) {
        return URI.create(environment.endpoint() + path);
    }

    private static String quoted(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
