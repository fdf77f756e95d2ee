package dev.prpf.base.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages for answers of a hub that cannot be used. */
class HubRefusalsTest extends HubDownloads {
    @ParameterizedTest
    @CsvSource({
        "401, GatedRepo, 'is gated', 'accept its terms'",
        "403, GatedRepo, 'HF_TOKEN', 'none was sent'",
        "404, RepoNotFound, 'there is no model org/tiny', '--repo-type'",
        "401, '', 'or it is private', 'HF_TOKEN'",
        "404, RevisionNotFound, 'has no revision main', '--revision'",
        "403, '', 'status 403', 'check HF_TOKEN'",
        "400, '', 'status 400', 'main'"
    })
    void aRefusalNamesTheWayOut(int status, String code, String what, String way) {
        hub.fail("main", code.isEmpty() ? FakeHub.status(status) : FakeHub.status(status, "X-Error-Code", code));
        assertFails(ExitCode.UNAVAILABLE, this::get, what, way);
        assertThat(waits).isEmpty();
    }

    @Test
    void aHubThatIsNotThereIsSaid() {
        hub.close();
        assertFails(ExitCode.UNAVAILABLE, this::get, hub.endpoint() + " cannot be reached", "HF_HUB_OFFLINE=1");
        assertThat(waits).hasSize(3);
    }

    @Test
    void aPageThatIsNoHubIsSaid() {
        hub.fail("main", FakeHub.instead("<html>login</html>".getBytes(StandardCharsets.UTF_8)));
        assertFails(ExitCode.BAD_DATA, this::get, "did not answer with JSON", "is it a Hugging Face hub?");
        hub.fail("main", FakeHub.instead("{\"sha\": \"../..\"}".getBytes(StandardCharsets.UTF_8)));
        assertFails(ExitCode.BAD_DATA, this::get, "without a commit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../evil",
                "/etc/evil",
                "a/../../evil",
                "a//evil",
                "C:evil",
                "a\\\\..\\\\evil",
                "./evil",
                "",
                ".git/hooks/post-checkout",
                "a/.GIT/config",
                ".git"
            })
    void aNameThatLeadsOutOfItsFolderIsRefused(String name) {
        hub.listed(name, "{\"type\":\"file\",\"path\":\"" + name + "\",\"size\":1,\"oid\":\"" + FakeHub.COMMIT + "\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "leads out of its folder");
        assertThat(home.resolve("hub")).doesNotExist();
    }

    @Test
    void aNameThatStandsTwiceIsRefused() {
        hub.listed(
                "twice", "{\"type\":\"file\",\"path\":\"config.json\",\"size\":1,\"oid\":\"" + FakeHub.COMMIT + "\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "\"config.json\" is a duplicate");
    }

    @Test
    void anEtagThatIsNoChecksumIsRefused() {
        hub.listed("x", "{\"type\":\"file\",\"path\":\"x\",\"size\":1,\"oid\":\"../../../x\"}");
        assertFails(ExitCode.BAD_DATA, this::get, "40 hexadecimal digits");
    }

    @Test
    void aRedirectAwayFromHttpIsRefused() {
        hub.fail("config.json", FakeHub.status(302, "Location", "file:///etc/passwd"));
        assertFails(ExitCode.UNAVAILABLE, this::get, "file:///etc/passwd");
    }

    @Test
    void aSignedAddressStandsInNoMessage() {
        hub.fail(MODEL, FakeHub.status(403, "X-Error-Message", "expired"));
        assertFails(ExitCode.UNAVAILABLE, this::get, "/lfs/" + MODEL + " answered with status 403: expired");
        hub.fail(MODEL, FakeHub.status(403));
        assertThatThrownBy(this::get).message().doesNotContain("signature");
    }

    private static FakeHub.Fault page(String following) {
        return (exchange, content) -> {
            exchange.getResponseHeaders().set("Link", "<" + following + ">; rel=\"next\"");
            FakeHub.instead("[]".getBytes(StandardCharsets.UTF_8)).serve(exchange, content);
        };
    }

    @Test
    void aListingWithoutAnEndIsLeft() {
        AtomicInteger page = new AtomicInteger();
        FakeHub.Fault another = (exchange, content) -> page("/api/models/org/tiny/tree/" + FakeHub.COMMIT + "?cursor="
                        + page.incrementAndGet())
                .serve(exchange, content);
        hub.fail("tree", Collections.nCopies(HubClient.MAX_PAGES + 10, another).toArray(FakeHub.Fault[]::new));
        assertFails(ExitCode.BAD_DATA, this::get, "its list of files has more than 2000 pages", "still does not end");
        assertThat(page).hasValue(HubClient.MAX_PAGES + 1);
    }

    @Test
    void aListingThatFollowsItselfOrPointsNowhereEnds() {
        String again = "/api/models/org/tiny/tree/" + FakeHub.COMMIT + "?cursor=1";
        hub.fail("tree", page(again), page(again), page(again));
        assertFails(ExitCode.BAD_DATA, this::get, "cursor=1: follows itself");

        for (String nowhere : List.of("http://[", "ftp://other/x", "mailto:x")) {
            hub.fail("tree", page(nowhere));
            assertFails(ExitCode.UNAVAILABLE, this::get, "sends on to \"" + nowhere, "must be an http address");
        }
    }
}
