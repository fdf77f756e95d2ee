package dev.prpf.base.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a Protocol Buffers message in wire format, field by field. Payloads are referenced, so that weights are copied only
 * once, into the finished model.
 */
public final class ProtoMessage {
    public static final int VARINT = 0;
    public static final int FIXED64 = 1;
    public static final int LENGTH = 2;
    public static final int FIXED32 = 5;

    private final List<ByteBuffer> parts = new ArrayList<>();
    private long size;

    /** Adds a field of type int32, int64 or an enumeration. */
    public ProtoMessage integer(int field, long value) {
        return tag(field, VARINT).varint(value);
    }

    /** Adds a field of type float. */
    public ProtoMessage float32(int field, float value) {
        return tag(field, FIXED32).part(fixed(Float.BYTES).putFloat(0, value));
    }

    /** Adds a field of type double. */
    public ProtoMessage float64(int field, double value) {
        return tag(field, FIXED64).part(fixed(Double.BYTES).putDouble(0, value));
    }

    private static ByteBuffer fixed(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public ProtoMessage text(int field, String value) {
        return bytes(field, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    /** Adds a field of type bytes; the buffer's remaining content is not copied. */
    public ProtoMessage bytes(int field, ByteBuffer value) {
        return tag(field, LENGTH).varint(value.remaining()).part(value);
    }

    public ProtoMessage message(int field, ProtoMessage value) {
        tag(field, LENGTH).varint(value.size);
        value.parts.forEach(this::part);
        return this;
    }

    /** Adds fields in wire format; they are not copied. */
    public ProtoMessage raw(ByteBuffer fields) {
        return part(fields);
    }

    private ProtoMessage tag(int field, int wireType) {
        return varint(((long) field << 3) | wireType);
    }

    private ProtoMessage varint(long value) {
        ByteBuffer bytes = ByteBuffer.allocate(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.put((byte) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        return part(bytes.put((byte) rest).flip());
    }

    private ProtoMessage part(ByteBuffer bytes) {
        parts.add(bytes);
        size += bytes.remaining();
        return this;
    }

    /** Returns the message in a direct buffer. */
    public ByteBuffer outsideHeap() {
        return into(ByteBuffer.allocateDirect(Math.toIntExact(size)));
    }

    /** Returns the message in a heap buffer, which is freed sooner. */
    public ByteBuffer onHeap() {
        return into(ByteBuffer.allocate(Math.toIntExact(size)));
    }

    private ByteBuffer into(ByteBuffer whole) {
        parts.forEach(part -> whole.put(part.duplicate()));
        return whole.flip();
    }
}
