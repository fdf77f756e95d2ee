package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.apache.commons.codec.digest.HmacAlgorithms;
import org.apache.commons.codec.digest.HmacUtils;

/**
 * The secret of an audit's hashes (HMAC-SHA-256), in a file next to the database. A plain SHA-256 of a short text could be guessed by trying texts.
 * The account goes into each hash, so that equal texts of two users differ.
 */
final class AuditKey {
    static final String FILE = "policy.key";
    private static final int BYTES = 32;

    private final byte[] secret;

    private AuditKey(byte[] secret) {
        this.secret = secret;
    }

    /**
     * Reads the key of a folder, or creates one.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the file holds no key, 69 if it cannot be created or others may read it
     */
    static AuditKey open(Path folder) {
        Path file = folder.resolve(FILE);
        byte[] fresh = new byte[BYTES];
        new SecureRandom().nextBytes(fresh);
        OwnerFile.require(file, HexFormat.of().formatHex(fresh).getBytes(StandardCharsets.US_ASCII));
        String text = IoFailure.whileReading(file, () -> Files.readString(file)).strip();
        if (text.matches("[0-9a-fA-F]{" + 2 * BYTES + "}")) {
            return new AuditKey(HexFormat.of().parseHex(text));
        }
        throw new InvalidDataException(file + ": holds no key, must be " + 2 * BYTES
                + " hexadecimal digits; remove it for a new one, which hashes of older entries do not compare with");
    }

    /**
     * Returns the keyed hash of a text.
     *
     * @param what kind of the text, so that equal words in a profile and in a caption get different hashes
     */
    String hash(Account account, String what, String text) {
        String content = String.join("\0", account.owner(), account.user(), what, text);
        return "hmac-sha256:" + new HmacUtils(HmacAlgorithms.HMAC_SHA_256, secret).hmacHex(content);
    }
}
