package dev.prpf.data.onnx;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A field of a Protocol Buffers message as it stands on the wire, nothing copied.
 *
 * @param number of the field
 * @param payload what a field of bytes, text or a message holds; empty for numbers
 * @param whole tag and content
 */
record ProtoField(int number, ByteBuffer payload, ByteBuffer whole) {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /**
     * The fields of a message, in order.
     *
     * @throws IllegalStateException if the bytes are no message
     */
    static List<ProtoField> of(ByteBuffer message) {
        ByteBuffer rest = message.duplicate();
        List<ProtoField> fields = new ArrayList<>();
        while (rest.hasRemaining()) {
            int start = rest.position();
            long tag = varint(rest);
            ByteBuffer payload = payload(rest, (int) (tag & 7));
            ByteBuffer whole = message.duplicate().position(start).limit(rest.position());
            fields.add(new ProtoField((int) (tag >>> 3), payload, whole));
        }
        return fields;
    }

    /** Reads over a value. */
    private static ByteBuffer payload(ByteBuffer rest, int wireType) {
        switch (wireType) {
            case ProtoMessage.VARINT -> varint(rest);
            case ProtoMessage.FIXED64 -> skip(rest, Long.BYTES);
            case ProtoMessage.FIXED32 -> skip(rest, Integer.BYTES);
            case ProtoMessage.LENGTH -> {
                return skip(rest, varint(rest));
            }
            default -> throw new IllegalStateException("no Protocol Buffers message: wire type " + wireType);
        }
        return NONE;
    }

    private static ByteBuffer skip(ByteBuffer rest, long length) {
        if (length < 0 || length > rest.remaining()) {
            throw new IllegalStateException("no Protocol Buffers message: a field of " + length + " bytes where "
                    + rest.remaining() + " are left");
        }
        int end = rest.position() + (int) length;
        ByteBuffer skipped = rest.duplicate().limit(end);
        rest.position(end);
        return skipped;
    }

    private static long varint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && bytes.hasRemaining(); shift += 7) {
            byte next = bytes.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalStateException("no Protocol Buffers message: a number does not end");
    }
}
