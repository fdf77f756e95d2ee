package dev.prpf.par.serve.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection on which a test writes what no client library would. */
final class RawHttp implements AutoCloseable {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");

    private final Socket socket;

    RawHttp(ApiServer server) {
        URI address = URI.create(server.address());
        try {
            socket = new Socket(address.getHost(), address.getPort());
            socket.setSoTimeout(30_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request for JSON with its body. */
    static String post(String path, String body, String... headers) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n"
                + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n" + body;
    }

    /** Sends bytes, one a character. */
    RawHttp send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Sends until the other side refuses more, at most this many times. Returns the number of times. */
    int sendUntilRefused(String bytes, int most, long everyMillis) {
        int sent = 0;
        try {
            for (; sent < most; sent++) {
                send(bytes);
                Thread.sleep(everyMillis);
            }
        } catch (IOException | InterruptedException e) {
            return sent;
        }
        return sent;
    }

    /** Reads until the server closes or resets the connection. */
    String rest() throws IOException {
        StringBuilder all = new StringBuilder();
        try {
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                all.append((char) next);
            }
        } catch (java.net.SocketException e) {
            return all.toString();
        }
        return all.toString();
    }

    /** Reads up to some text. */
    String until(String text) throws IOException {
        StringBuilder all = new StringBuilder();
        while (all.indexOf(text) < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("ended with " + all);
            }
            all.append((char) next);
        }
        return all.toString();
    }

    /** The status of the first answer. */
    static int status(String answer) {
        Matcher status = STATUS.matcher(answer);
        return status.lookingAt() ? Integer.parseInt(status.group(1)) : -1;
    }

    /** How many answers there are. */
    static long answers(String text) {
        return STATUS.matcher(text).results().count();
    }

    /** Returns the body after the headers. */
    static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
