package dev.prpf.base.hub;

import dev.prpf.base.config.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * One file of a commit.
 *
 * @param path in the repository
 * @param size in bytes
 * @param blobId git's id: SHA-1 of the content with git's header, or of the pointer where the content is in LFS
 * @param sha256 SHA-256 of a content in LFS, else null
 */
record HubFile(String path, long size, String blobId, @Nullable String sha256) {
    /** A part of a path that is empty, leads up, names a drive or git's own folder, or holds a backslash or a control character. */
    private static final Pattern UNSAFE =
            Pattern.compile("|\\.\\.?|(?i:\\.git)|[A-Za-z]:.*|.*[\\\\\\x00-\\x1f].*", Pattern.DOTALL);

    HubFile {
        if (!isSafe(path)) {
            throw new IllegalArgumentException(
                    "file name \"" + path
                            + "\": leads out of its folder, is absolute, or is in .git; a repository's files lie below its folder");
        }
        Rule.require(size >= 0, path + ": size", size, "at least 0");
        Rule.require(blobId.matches("[0-9a-f]{40}"), path + ": git id", blobId, "40 hexadecimal digits");
        boolean summed = sha256 == null || sha256.matches("[0-9a-f]{64}");
        Rule.require(summed, path + ": SHA-256", sha256, "64 hexadecimal digits");
    }

    /** Returns whether a path with {@code /} stays below its folder on every operating system. */
    static boolean isSafe(String path) {
        return Arrays.stream(path.split("/", -1))
                .noneMatch(part -> UNSAFE.matcher(part).matches());
    }

    /** Name of the content in a cache, and the required result of {@link #checksum}. */
    String etag() {
        return sha256 == null ? blobId : sha256;
    }

    /**
     * Computes the checksum of a file, which is {@link #etag} if the file has the whole content.
     *
     * @param check called after each megabyte; an exception ends the computation
     */
    String checksum(Path place, Runnable check) throws IOException {
        MessageDigest digest = sha256 == null
                ? DigestUtils.updateDigest(DigestUtils.getSha1Digest(), "blob " + size + "\0")
                : DigestUtils.getSha256Digest();
        try (InputStream in = Files.newInputStream(place)) {
            byte[] buffer = new byte[1 << 20];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                check.run();
                digest.update(buffer, 0, n);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
