package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ServerMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the page in a headless Chromium, as a user sees it. Skipped without Chromium. */
abstract class InBrowser {
    @TempDir
    static Path profile;

    private static @Nullable Browser browser;

    @TempDir
    Path folder;

    final FakeCascade cascade = new FakeCascade();
    PageRoutes.About about = FakeCascade.NAMELESS;
    ApiServer server;
    Tab tab;

    @BeforeAll
    static void startBrowser() throws Exception {
        Optional<Path> program = Browser.program();
        assumeTrue(program.isPresent(), "the PATH has no Chromium: the page was not tried in a browser");
        browser = Browser.start(program.orElseThrow(), profile);
    }

    @AfterAll
    static void stopBrowser() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = start(ApiKeys.NONE);
        tab = Objects.requireNonNull(browser).open();
        tab.look(1280, false);
    }

    ApiServer start(ApiKeys keys) {
        return start(keys, new PageRoutes(FakeCascade.POOL, FakeCascade.CATALOG, about, List.of()));
    }

    ApiServer start(ApiKeys keys, PageRoutes page) {
        return ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, keys),
                ServeConfig.DEFAULT.http(),
                new ServerMetrics(),
                List.of(page, new OpenApiRoutes(), cascade),
                () -> true);
    }

    /** Checks that the console is empty, except for requests that the server should refuse. */
    @AfterEach
    void stop() {
        List<String> problems = tab.problems().stream()
                .filter(problem -> !problem.startsWith("network: "))
                .toList();
        String stored =
                tab.value("JSON.stringify(localStorage) + document.cookie").asText();
        tab.close();
        server.close();
        assertThat(problems).as("exceptions, console, violations of the policy").isEmpty();
        assertThat(stored).isEqualTo("{}");
    }

    void open() {
        tab.go(server.address() + "/");
        tab.until("document.querySelector('#trace').children.length > 0");
        tab.until("document.querySelector('#version').textContent !== ''");
        tab.until("document.querySelector('#known-answer').textContent !== ''");
    }

    void openAndRecommend() {
        open();
        tab.click("#recommend");
        tab.until("document.querySelector('#stop').disabled && document.querySelector('#cost .facts')");
    }
}
