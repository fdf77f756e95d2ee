package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chats without room, with a disconnected client, or with a timeout. */
class ChatLimitsTest {
    private static final String PATH = TestServer.CHAT;
    private static final String HELLO = TestServer.HELLO;
    private static final String ENDLESS = ", 'ignore_eos': true, 'max_tokens': 190000}";

    @Test
    void aFullServerRefusesAndWhoHangsUpFreesIt(@TempDir Path folder) throws Exception {
        try (TestServer one = new TestServer(folder, TestServer.ONE_LONG)) {
            try (InputStream stream = one.open(PATH, "{" + HELLO + ", 'stream': true" + ENDLESS);
                    BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                assertThat(lines.readLine()).contains("\"role\":\"assistant\"");
                HttpResponse<String> refused = one.post(PATH, TestServer.hello(""));
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.headers().firstValue("Retry-After")).isPresent();
                assertThat(refused.body()).contains("1 generations run and 0 wait, there is no room for 1 more");
            }
            one.awaitMetric("prpf_request_success_total{finished_reason=\"cancelled\",model_name=\"tiny\"} 1");
            one.awaitMetric("prpf_num_requests_running{model_name=\"tiny\"} 0");
            assertThat(one.post(PATH, TestServer.hello("")).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void whoHangsUpBeforeTheAnswerFreesItToo(@TempDir Path folder) throws Exception {
        try (TestServer one = new TestServer(folder, TestServer.ONE_LONG)) {
            URI address = URI.create(one.server.address());
            byte[] body = ("{" + HELLO + ENDLESS).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.getOutputStream()
                        .write(("POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: " + body.length + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(body);
                one.awaitMetric("prpf_num_requests_running{model_name=\"tiny\"} 1");
            }
            one.awaitMetric("prpf_request_success_total{finished_reason=\"cancelled\",model_name=\"tiny\"} 1");
        }
    }

    @Test
    void whatTakesTooLongIsAStatusOrAnEvent(@TempDir Path folder) throws Exception {
        ServiceSettings hasty = new ServiceSettings(1, 200_000, 64, 0, 0, 1);
        try (TestServer one = new TestServer(folder, hasty)) {
            HttpResponse<String> late = one.post(PATH, "{" + HELLO + ENDLESS);
            assertThat(late.statusCode()).isEqualTo(504);
            assertThat(late.body()).contains("the answer was not written in time; ask for fewer tokens");
            one.awaitMetric("prpf_num_requests_running{model_name=\"tiny\"} 0");
            HttpResponse<String> begun = one.post(PATH, "{" + HELLO + ", 'stream': true" + ENDLESS);
            for (int i = 0; i < 60 && begun.statusCode() == 504; i++) { // so did its first token, on a busy machine
                one.awaitMetric("prpf_num_requests_running{model_name=\"tiny\"} 0");
                begun = one.post(PATH, "{" + HELLO + ", 'stream': true" + ENDLESS);
            }
            assertThat(begun.statusCode()).isEqualTo(200);
            assertThat(begun.body())
                    .contains("\"role\":\"assistant\"")
                    .endsWith(
                            "data: {\"error\":{\"message\":\"the answer was not written in time; ask for fewer tokens\","
                                    + "\"type\":\"timeout_error\",\"param\":null,\"code\":\"timeout\"}}\n\ndata: [DONE]\n\n");
        }
    }
}
