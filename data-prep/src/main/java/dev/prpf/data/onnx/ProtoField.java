package dev.prpf.data.onnx;

import dev.prpf.base.files.ProtoMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A field of a Protocol Buffers message in wire format, not copied.
 *
 * @param value the value of a varint field; 0 for others
 * @param payload the bytes of a length-delimited field; empty for numbers
 * @param whole tag and content
 */
record ProtoField(int number, long value, ByteBuffer payload, ByteBuffer whole) {
    private static final long MAX_TAG = 0xFFFFFFFFL;

    /**
     * Returns the fields of a message in order.
     *
     * @throws IllegalStateException if the bytes are not a message
     */
    static List<ProtoField> of(ByteBuffer message) {
        ByteBuffer rest = message.duplicate();
        List<ProtoField> fields = new ArrayList<>();
        while (rest.hasRemaining()) {
            fields.add(next(rest));
        }
        return fields;
    }

    private static ProtoField next(ByteBuffer rest) {
        int start = rest.position();
        long tag = varint(rest);
        if (tag < 0 || tag > MAX_TAG) { // other parsers read such a tag modulo 2^32, as another field
            throw new IllegalStateException("not a Protocol Buffers message: a tag of more than 32 bits");
        }
        int wireType = (int) (tag & 7);
        long value = wireType == ProtoMessage.VARINT ? varint(rest) : 0;
        long length =
                switch (wireType) {
                    case ProtoMessage.VARINT -> 0;
                    case ProtoMessage.FIXED64 -> Long.BYTES;
                    case ProtoMessage.FIXED32 -> Integer.BYTES;
                    case ProtoMessage.LENGTH -> varint(rest);
                    default -> throw new IllegalStateException("not a Protocol Buffers message: wire type " + wireType);
                };
        if (length < 0 || length > rest.remaining()) {
            throw new IllegalStateException("not a Protocol Buffers message: a field of " + length + " bytes where "
                    + rest.remaining() + " are left");
        }
        int end = rest.position() + (int) length;
        ByteBuffer payload = rest.duplicate().limit(end);
        rest.position(end);
        return new ProtoField(
                (int) (tag >>> 3),
                value,
                payload,
                rest.duplicate().position(start).limit(end));
    }

    String text() {
        return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
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
        throw new IllegalStateException("not a Protocol Buffers message: a number does not end");
    }
}
