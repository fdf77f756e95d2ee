package dev.prpf.base.hub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All files of a commit; kept in {@code trees/COMMIT.json} as {@code huggingface_hub} does since 2.x (format 1), so that a commit that is
 * here needs no network, and a cache knows what of it is missing.
 */
record HubListing(String commit, List<HubFile> files) {
    private static final Logger LOG = LoggerFactory.getLogger(HubListing.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;

    HubListing {
        files = files.stream().sorted(Comparator.comparing(HubFile::path)).toList();
        Set<String> paths = new HashSet<>();
        for (HubFile file : files) {
            if (!paths.add(file.path())) {
                throw new IllegalArgumentException("file name \"" + file.path() + "\" stands twice in a listing");
            }
        }
    }

    /** What a download left of a commit, or null where there is nothing, or nothing of use. */
    static @Nullable HubListing read(Path folder, String commit) {
        Path file = place(folder, commit);
        if (!Files.isRegularFile(file)) {
            return null;
        }
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            if (json.path("format_version").asInt() != FORMAT
                    || !json.path("files").isObject()) {
                return null;
            }
            List<HubFile> files = new ArrayList<>();
            json.path("files").properties().forEach(entry -> files.add(file(entry)));
            return new HubListing(commit, files);
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("{}: is no list of a commit's files, it is requested again: {}", file, e.getMessage());
            return null;
        }
    }

    private static HubFile file(Map.Entry<String, JsonNode> entry) {
        JsonNode json = entry.getValue();
        return new HubFile(
                entry.getKey(),
                json.path("lfs_size").asLong(json.path("size").asLong(-1)),
                json.path("blob_id").asText(),
                json.hasNonNull("lfs_sha256") ? json.path("lfs_sha256").asText() : null,
                json.hasNonNull("xet_hash") ? json.path("xet_hash").asText() : null);
    }

    void write(Path folder) {
        ObjectNode json = JSON.createObjectNode().put("format_version", FORMAT);
        ObjectNode all = json.putObject("files");
        for (HubFile file : files) {
            ObjectNode one = all.putObject(file.path()).put("size", file.size()).put("blob_id", file.blobId());
            if (file.sha256() != null) {
                one.put("lfs_sha256", file.sha256()).put("lfs_size", file.size());
            }
            if (file.xetHash() != null) {
                one.put("xet_hash", file.xetHash());
            }
        }
        AtomicFiles.writeText(place(folder, commit), json.toPrettyString());
    }

    private static Path place(Path folder, String commit) {
        return folder.resolve("trees").resolve(commit + ".json");
    }
}
