package dev.prpf.par.serve.http;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API keys of the clients. A file holds one key a line, {@code NAME sha256:HEX}. A line {@code NAME KEY} is replaced by its hash when first read,
 * so that no key stays on the disk. A third word, {@code monitor}, lets a key read the metrics of all keys. Blank lines and comments with #
 * are kept.
 */
public final class ApiKeys {
    /** A server without keys: every request is accepted. */
    public static final ApiKeys NONE = new ApiKeys(Map.of(), Set.of());

    /** The key name of every request to a server without keys. */
    static final String LOCAL = "local";

    private static final Logger LOG = LoggerFactory.getLogger(ApiKeys.class);
    private static final String HASHED = "sha256:";
    private static final String MONITOR = "monitor";
    private static final int SHORTEST = 16;
    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final Map<String, byte[]> hashes;
    private final Set<String> monitors;

    private ApiKeys(Map<String, byte[]> hashes, Set<String> monitors) {
        this.hashes = hashes;
        this.monitors = monitors;
    }

    /**
     * Reads a file of keys, and replaces plain keys by hashes.
     *
     * @throws dev.prpf.base.error.PrpfException 78 for an invalid line, a duplicate name, a key of fewer than 16 characters, or no key; no
     *     message holds a key
     */
    public static ApiKeys read(Path file) {
        List<String> lines = lines(file);
        List<String> hashed = new ArrayList<>();
        ApiKeys keys = read(file, lines, hashed);
        if (!hashed.equals(lines)) {
            replace(file, String.join("\n", hashed) + "\n");
            LOG.info("{}: its keys are hashed now", file);
        }
        return keys;
    }

    /** Reads a file of keys without changing the file. */
    public static ApiKeys check(Path file) {
        return read(file, lines(file), new ArrayList<>());
    }

    /** @param hashed receives the lines with hashed keys */
    private static ApiKeys read(Path file, List<String> lines, List<String> hashed) {
        Map<String, byte[]> hashes = new LinkedHashMap<>();
        Set<String> monitors = new HashSet<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                hashed.add(lines.get(i));
                continue;
            }
            String place = file + ":" + (i + 1);
            String[] parts = line.split("\\s+", -1);
            boolean monitor = parts.length == 3 && parts[2].equals(MONITOR);
            if ((parts.length != 2 && !monitor) || !parts[0].matches("[A-Za-z0-9._-]{1,64}")) {
                throw new InvalidConfigurationException(place
                        + ": a line must be NAME sha256:HEX or NAME KEY, and may end with the word " + MONITOR
                        + "; a name has up to 64 of A-Z a-z 0-9 . _ -");
            }
            if (monitor) {
                monitors.add(parts[0]);
            }
            byte[] hash = hash(place, parts[1]);
            if (hashes.put(parts[0], hash) != null) {
                throw new InvalidConfigurationException(
                        place + ": the name " + parts[0] + " is a duplicate; give each key its own name");
            }
            hashed.add(parts[0] + " " + HASHED + HexFormat.of().formatHex(hash) + (monitor ? " " + MONITOR : ""));
        }
        if (hashes.isEmpty()) {
            throw new InvalidConfigurationException(file + ": holds no key, so every request would be refused");
        }
        return new ApiKeys(hashes, monitors);
    }

    /** Replaces the file, readable only by its owner, and writable if it was before. Follows a link to its target. */
    private static void replace(Path file, String text) {
        try {
            Path target = file.toRealPath();
            Set<PosixFilePermission> rights = EnumSet.copyOf(OWNER);
            rights.retainAll(Files.getPosixFilePermissions(target));
            Path partial = Files.createTempFile(target.resolveSibling("."), ".keys-", ".partial"); // rw------- on POSIX
            try {
                Files.writeString(partial, text);
                AtomicFiles.sync(partial);
                Files.setPosixFilePermissions(partial, rights);
                AtomicFiles.move(partial, target);
            } finally {
                Files.deleteIfExists(partial);
            }
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    private static List<String> lines(Path file) {
        return IoFailure.whileReading(file, () -> Files.readAllLines(file));
    }

    private static byte[] hash(String place, String key) {
        if (key.matches(HASHED + "[0-9a-fA-F]{64}")) {
            return HexFormat.of().parseHex(key.substring(HASHED.length()));
        }
        if (key.startsWith(HASHED)) {
            throw new InvalidConfigurationException(
                    place + ": " + HASHED + " must be followed by 64 hexadecimal digits");
        }
        if (key.length() < SHORTEST) {
            throw new InvalidConfigurationException(place + ": the key has " + key.length() + " characters, needs "
                    + SHORTEST + " at least; `openssl rand -hex 32` makes one");
        }
        return DigestUtils.sha256(key);
    }

    /** Returns whether requests need a key. */
    public boolean required() {
        return !hashes.isEmpty();
    }

    /** Returns whether the server has several keys. */
    public boolean several() {
        return hashes.size() > 1;
    }

    /** Returns whether a key may read the metrics of all keys: a key with the word {@code monitor}, or the only key. */
    boolean monitors(String caller) {
        return !several() || monitors.contains(caller);
    }

    /** Returns the name of a request's key, {@link #LOCAL} on a server without keys, or null for an unknown key. */
    @Nullable
    String callerOf(@Nullable String authorization) {
        return required() ? caller(authorization) : LOCAL;
    }

    /**
     * Finds a request's key. Compares with every key, so that the time does not reveal common prefixes.
     *
     * @param authorization the header's value
     * @return the key's name, or null for an unknown key
     */
    @Nullable
    String caller(@Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return null;
        }
        byte[] given = DigestUtils.sha256(authorization.substring(7).strip());
        String caller = null;
        for (Map.Entry<String, byte[]> key : hashes.entrySet()) {
            if (MessageDigest.isEqual(key.getValue(), given)) {
                caller = key.getKey();
            }
        }
        return caller;
    }
}
