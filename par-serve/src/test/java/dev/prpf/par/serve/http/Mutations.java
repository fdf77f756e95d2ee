package dev.prpf.par.serve.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Mutated bodies of requests. */
public final class Mutations {
    private static final List<byte[]> PIECES = List.of(
            bytes("\""),
            bytes("\\"),
            bytes("{"),
            bytes("]"),
            bytes("\\ud800"),
            bytes("1e999"),
            bytes("-"),
            bytes("NaN"),
            bytes("9".repeat(400)),
            bytes("[".repeat(300)),
            bytes("\"say\": 1, "),
            new byte[] {(byte) 0xff, (byte) 0xfe},
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            new byte[] {0});

    private Mutations() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Cuts, removes, repeats, replaces and inserts pieces of a body. */
    public static byte[] of(byte[] seed, Random random) {
        byte[] body = seed.clone();
        for (int i = random.nextInt(4); i >= 0 && body.length > 0; i--) {
            int at = random.nextInt(body.length);
            int to = at + random.nextInt(body.length - at);
            ByteArrayOutputStream next = new ByteArrayOutputStream();
            next.write(body, 0, at);
            switch (random.nextInt(5)) {
                case 0 -> next.write(body, at, to - at); // what follows is cut off
                case 1 -> next.write(body, to, body.length - to); // a piece is missing
                case 2 -> {
                    next.write(body, at, to - at); // a duplicate piece
                    next.write(body, at, body.length - at);
                }
                case 3 -> {
                    next.write(random.nextInt(256)); // a byte is another
                    next.write(body, at + 1, body.length - at - 1);
                }
                default -> {
                    next.writeBytes(PIECES.get(random.nextInt(PIECES.size())));
                    next.write(body, at, body.length - at);
                }
            }
            body = next.toByteArray();
        }
        return body;
    }
}
