package dev.prpf.par.serve.openai;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests that ask one small server, a class each. */
abstract class OnSmallServer {
    @TempDir
    static Path directory;

    static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(directory, TestServer.SMALL);
    }

    @AfterAll
    static void stop() {
        server.close();
    }
}
