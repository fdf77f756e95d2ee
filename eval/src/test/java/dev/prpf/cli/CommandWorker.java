package dev.prpf.cli;

import dev.prpf.base.command.ResultStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process that runs {@code prpf} command lines one after another in one folder. All tests of this JVM share it, so that the JVM and the
 * engines start once. It captures the whole standard output, as {@link CommandProcess} does.
 */
public final class CommandWorker {
    /** Folder in the commands' folder that comes first on their PATH. */
    static final String PROGRAMS = "programs";

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static @Nullable CommandWorker shared;

    private final Path home;
    private final Process process;
    private final Socket socket;
    private final DataInputStream statuses;
    private final DataOutputStream commands;

    private CommandWorker(Path home) throws IOException {
        this.home = home;
        Files.createDirectories(home.resolve("folder"));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout((int) LIMIT.toMillis());
            String path = home.resolve("folder").resolve(PROGRAMS) + ":" + System.getenv("PATH");
            process = CommandProcess.in(home.resolve("folder"))
                    .withEnvironment(Map.of("PATH", path))
                    .start(
                            CommandWorker.class,
                            home.resolve("stdout"),
                            home.resolve("stderr"),
                            String.valueOf(server.getLocalPort()));
            socket = server.accept();
        }
        socket.setSoTimeout((int) LIMIT.toMillis());
        socket.setTcpNoDelay(true);
        statuses = new DataInputStream(socket.getInputStream());
        commands = new DataOutputStream(socket.getOutputStream());
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    private static synchronized CommandWorker shared() {
        try {
            if (shared == null || !shared.process.isAlive()) {
                shared = new CommandWorker(Files.createTempDirectory("worker"));
            }
            return shared;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empties the folder that commands run in, and returns it. */
    public static Path emptyFolder() {
        Path folder = shared().home.resolve("folder");
        delete(folder, false);
        return folder;
    }

    /** Runs {@code prpf ARGUMENTS} in the folder to its end. */
    public static CommandProcess.Result run(String... arguments) {
        try {
            return shared().execute(arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CommandProcess.Result execute(String... arguments) throws IOException {
        long out = Files.size(home.resolve("stdout"));
        long err = Files.size(home.resolve("stderr"));
        commands.writeInt(arguments.length);
        for (String argument : arguments) {
            commands.writeUTF(argument);
        }
        commands.flush();
        try {
            int status = statuses.readInt();
            return new CommandProcess.Result(status, written("stdout", out), written("stderr", err));
        } catch (EOFException e) {
            throw new AssertionError(
                    "prpf " + String.join(" ", arguments) + " ended its process: " + written("stderr", err), e);
        }
    }

    private String written(String file, long from) throws IOException {
        byte[] all = Files.readAllBytes(home.resolve(file));
        return new String(Arrays.copyOfRange(all, (int) from, all.length), StandardCharsets.UTF_8);
    }

    private void close() {
        try {
            socket.close();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        delete(home, true);
    }

    private static void delete(Path folder, boolean whole) {
        try (Stream<Path> paths = Files.walk(folder)) {
            List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                if (whole || !path.equals(folder)) {
                    Files.delete(path);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads command lines from the socket until it is closed, and answers each with its exit status. */
    public static void main(String[] arguments) throws IOException {
        ResultStream.claim();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
            DataInputStream commands = new DataInputStream(socket.getInputStream());
            DataOutputStream statuses = new DataOutputStream(socket.getOutputStream());
            while (true) {
                String[] words = new String[commands.readInt()];
                for (int i = 0; i < words.length; i++) {
                    words[i] = commands.readUTF();
                }
                int status = Main.execute(words);
                System.err.flush();
                statuses.writeInt(status);
            }
        } catch (EOFException e) {
            System.exit(0);
        }
    }
}
