package dev.prpf.par.serve.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless Chromium of this machine, driven over its DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int ATTEMPTS = 600;

    private final Process process;
    private final Path folder;
    private final String address;

    private Browser(Process process, Path folder, String address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
    }

    /** The program, if the PATH has one. */
    static Optional<Path> program() {
        return Pattern.compile(File.pathSeparator)
                .splitAsStream(Objects.requireNonNullElse(System.getenv("PATH"), ""))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param folder for its profile */
    static Browser start(Path program, Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--headless=new",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder,
                "--no-first-run",
                "--no-sandbox", // containers lack what it needs; the page is ours
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "about:blank"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        Path port = folder.resolve("DevToolsActivePort");
        for (int i = 0; i < ATTEMPTS && process.isAlive(); i++) {
            List<String> lines = Files.exists(port) ? Files.readAllLines(port) : List.of();
            if (lines.size() >= 2) {
                return new Browser(process, folder, "http://127.0.0.1:" + lines.get(0));
            }
            Thread.sleep(50);
        }
        process.destroyForcibly();
        throw new IOException(program + " does not start:\n" + Files.readString(folder.resolve("output")));
    }

    /** Opens a new page. */
    Tab open() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/json/new?about:blank"))
                .PUT(BodyPublishers.noBody())
                .build();
        String target = CLIENT.send(request, BodyHandlers.ofString()).body();
        return new Tab(
                CLIENT,
                new ObjectMapper().readTree(target).path("webSocketDebuggerUrl").textValue());
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        process.destroy();
        process.onExit().completeOnTimeout(process, 10, TimeUnit.SECONDS).join();
        all.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
        for (String link : List.of("SingletonLock", "SingletonCookie", "SingletonSocket")) {
            Files.deleteIfExists(folder.resolve(link)); // they lead out of the folder
        }
    }
}
