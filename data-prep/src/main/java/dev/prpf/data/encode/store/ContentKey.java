package dev.prpf.data.encode.store;

import dev.prpf.base.files.AtomicFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The SHA-256 of a content as four words, the key of an encoding in a store.
 *
 * @param a bytes 0 to 7, big-endian
 * @param b bytes 8 to 15
 * @param c bytes 16 to 23
 * @param d bytes 24 to 31
 */
public record ContentKey(long a, long b, long c, long d) {
    static final int BYTES = 32;

    public static ContentKey of(byte[] content) {
        return read(ByteBuffer.wrap(DigestUtils.sha256(content)));
    }

    /** Returns the key of a text's UTF-8 bytes. */
    public static ContentKey of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns one SHA-256 over keys in order, in lower-case hexadecimal. */
    public static String ofAll(List<ContentKey> keys) {
        ByteBuffer bytes = ByteBuffer.allocate(keys.size() * BYTES);
        keys.forEach(key -> key.write(bytes));
        return AtomicFiles.sha256(bytes.array());
    }

    static ContentKey read(ByteBuffer bytes) {
        return new ContentKey(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    void write(ByteBuffer bytes) {
        bytes.putLong(a).putLong(b).putLong(c).putLong(d);
    }
}
