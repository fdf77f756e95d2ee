package dev.prpf.data.onnx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A Protocol Buffers message in wire format, written field by field. Payloads are kept as they are, so that hundreds of megabytes of
 * weights are copied once only, into the finished model.
 */
final class ProtoMessage {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int LENGTH = 2;
    static final int FIXED32 = 5;

    private final List<ByteBuffer> parts = new ArrayList<>();
    private long size;

    /** An int32, int64 or enumeration field. */
    ProtoMessage integer(int field, long value) {
        return tag(field, VARINT).varint(value);
    }

    /** A float field. */
    ProtoMessage real(int field, float value) {
        return tag(field, FIXED32)
                .part(ByteBuffer.allocate(Float.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putFloat(0, value));
    }

    ProtoMessage text(int field, String value) {
        return bytes(field, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    /** A bytes field; the buffer's remaining content is not copied. */
    ProtoMessage bytes(int field, ByteBuffer value) {
        return tag(field, LENGTH).varint(value.remaining()).part(value);
    }

    ProtoMessage message(int field, ProtoMessage value) {
        tag(field, LENGTH).varint(value.size);
        value.parts.forEach(this::part);
        return this;
    }

    /** Fields that stand in wire format already; not copied. */
    ProtoMessage raw(ByteBuffer fields) {
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

    /** The whole message outside the heap. */
    ByteBuffer outsideHeap() {
        return into(ByteBuffer.allocateDirect(Math.toIntExact(size)));
    }

    /** The whole message on the heap, which gives it back sooner. */
    ByteBuffer onHeap() {
        return into(ByteBuffer.allocate(Math.toIntExact(size)));
    }

    private ByteBuffer into(ByteBuffer whole) {
        parts.forEach(part -> whole.put(part.duplicate()));
        return whole.flip();
    }
}
