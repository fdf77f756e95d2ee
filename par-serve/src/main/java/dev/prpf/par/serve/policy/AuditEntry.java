package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.HmacAlgorithms;
import org.apache.commons.codec.digest.HmacUtils;
import org.jspecify.annotations.Nullable;

/**
 * One decision in the audit: its inputs and its outcome.
 *
 * @param passive whether the user had asked
 * @param used signal to the keyed hash of the text read; without signals that were withheld or blank
 * @param withheld names of signals that were removed
 * @param pTrigger null where nothing was perceived
 * @param threshold the user's τ
 * @param silence why nothing was recommended, or null
 * @param recommendations keyed hashes of the recommendations
 * @param content the texts read and recommended, images as hashes; null unless the user wants them kept
 */
record AuditEntry(
        boolean passive,
        Map<String, String> used,
        List<String> withheld,
        @Nullable Double pTrigger,
        double threshold,
        @Nullable String silence,
        List<String> recommendations,
        @Nullable Content content) {
    /**
     * The texts of a decision.
     *
     * @param moment as a record's {@code reference_information}
     * @param scenarios name to probability; empty where nothing was perceived
     * @param recommendations as a record's answers
     */
    record Content(JsonNode moment, Map<String, Double> scenarios, List<JsonNode> recommendations) {}

    /** Creates the entry of an outcome. The entry holds only what the admission left of the sample. */
    static AuditEntry of(
            Account account,
            AuditKey key,
            boolean content,
            InterventionPolicy.Admission admission,
            InterventionPolicy.Outcome outcome) {
        return new AuditEntry(
                admission.moment().passive(),
                used(account, key, admission.sample()),
                admission.withheld(),
                outcome.perception() == null ? null : outcome.perception().pTrigger(),
                outcome.threshold(),
                outcome.silence(),
                outcome.recommendations().stream()
                        .map(made -> key.hash(account, "recommendation", text(made)))
                        .toList(),
                content ? content(account, key, admission.sample(), outcome) : null);
    }

    private static String text(Recommendation recommendation) {
        return FunctionCallJson.write(recommendation).toString();
    }

    private static Map<String, String> used(Account account, AuditKey key, Sample sample) {
        Map<String, String> used = new LinkedHashMap<>();
        for (Signal signal : Signal.values()) {
            String text = text(signal, sample);
            if (!text.isBlank()) {
                used.put(signal.label(), key.hash(account, signal.label(), text));
            }
        }
        return used;
    }

    private static String text(Signal signal, Sample sample) {
        return switch (signal) {
            case PROFILE -> sample.context().profile();
            case PHONE -> sample.context().phone();
            case WORLD -> sample.context().world();
            case CAPTIONS -> String.join("\n", sample.trajectory().texts());
            case SCREENSHOTS ->
                sample.trajectory().screenshots().stream()
                        .map(TraceStep.Screenshot::path)
                        .collect(Collectors.joining("\n"));
        };
    }

    private static Content content(Account account, AuditKey key, Sample sample, InterventionPolicy.Outcome outcome) {
        Trajectory hashed = new Trajectory(sample.trajectory().steps().stream()
                .map(step -> step instanceof TraceStep.Screenshot shot ? hashed(account, key, shot) : step)
                .toList());
        return new Content(
                RecordJson.write(sample.with(sample.context(), hashed, null)).path("reference_information"),
                outcome.perception() == null ? Map.of() : outcome.perception().scenarios(),
                outcome.recommendations().stream()
                        .<JsonNode>map(FunctionCallJson::write)
                        .toList());
    }

    private static TraceStep hashed(Account account, AuditKey key, TraceStep.Screenshot shot) {
        return new TraceStep.Screenshot(key.hash(account, Signal.SCREENSHOTS.label(), shot.path()));
    }

    /** Returns the entry of a decision that became silence right before its intervention. */
    AuditEntry silenced(String why) {
        Content silent = content == null ? null : new Content(content.moment, content.scenarios, List.of());
        return new AuditEntry(passive, used, withheld, pTrigger, threshold, why, List.of(), silent);
    }

    String json() {
        return JsonRecords.write(this);
    }

    /**
     * The secret of an audit's hashes (HMAC-SHA-256), in a file next to the database. A plain SHA-256 of a short text could be guessed by trying texts.
     * The account goes into each hash, so that equal texts of two users differ.
     */
    static final class AuditKey {
        static final String FILE = "policy.key";
        private static final int BYTES = 32;

        private final byte[] secret;

        private AuditKey(byte[] secret) {
            this.secret = secret;
        }

        /**
         * Reads the key of a folder, or creates one.
         *
         * @throws dev.prpf.base.error.PrpfException 65 if the file holds no key, 69 if it cannot be created or others may read it
         */
        static AuditKey open(Path folder) {
            Path file = folder.resolve(FILE);
            byte[] fresh = new byte[BYTES];
            new SecureRandom().nextBytes(fresh);
            OwnerFile.require(file, HexFormat.of().formatHex(fresh).getBytes(StandardCharsets.US_ASCII));
            String text =
                    IoFailure.whileReading(file, () -> Files.readString(file)).strip();
            if (text.matches("[0-9a-fA-F]{" + 2 * BYTES + "}")) {
                return new AuditKey(HexFormat.of().parseHex(text));
            }
            throw new InvalidDataException(
                    file + ": holds no key, must be " + 2 * BYTES
                            + " hexadecimal digits; remove it for a new one, which hashes of older entries do not compare with");
        }

        /**
         * Returns the keyed hash of a text.
         *
         * @param what kind of the text, so that equal words in a profile and in a caption get different hashes
         */
        String hash(Account account, String what, String text) {
            String content = String.join("\0", account.owner(), account.user(), what, text);
            return "hmac-sha256:" + new HmacUtils(HmacAlgorithms.HMAC_SHA_256, secret).hmacHex(content);
        }
    }
}
