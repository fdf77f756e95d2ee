package dev.prpf.par.serve.cascade;

import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.store.EmbeddingStore.Tenant;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.ServerMetrics;
import java.time.Duration;
import java.util.List;

/**
 * Decodes the images of requests and recognizes their text, on the requests' own threads. At most one request per core hashes and decodes at a time,
 * and one request recognizes text. API keys take turns. Thread-safe.
 */
final class ImageTurns {
    private final SampleEncoders encoders;
    private final FairGate decoding;
    private final FairGate reading;

    ImageTurns(SampleEncoders encoders, CascadeSettings settings, ServerMetrics metrics) {
        this.encoders = encoders;
        Duration patience = Duration.ofSeconds(settings.requestTimeout());
        decoding = FairGate.computing(metrics, patience, new FairGate.Refusals(ImageTurns::late));
        reading = new FairGate(
                FairGate.Limits.single(settings.queue(), patience), new FairGate.Refusals(ImageTurns::late));
    }

    private static ApiException late() {
        return ApiException.timeout("the turn of the sample's images did not come within the request's time");
    }

    /**
     * Encodes the images in memory, so that the perceiver's turn decodes and hashes no image.
     *
     * @param tenant that owns the stores for the result
     * @param reading whether the texts on the images are needed, for any text encoder
     * @return the cost; zero for images in the stores
     * @throws dev.prpf.base.error.PrpfException.InvalidDataException for an image that cannot be decoded
     */
    EncodingCost see(Client client, String tenant, List<TraceStep.Screenshot> screenshots, boolean reading) {
        EncodingCost cost = EncodingCost.NONE;
        for (TraceStep.Screenshot screenshot : screenshots) {
            if (DataUrl.is(screenshot.path())) {
                cost = cost.plus(decoding.turn(client.caller(), client.waiting(), () -> {
                    ImageFile image = client.images().computeIfAbsent(screenshot.path(), ImageFile::hashed);
                    return Tenant.as(tenant, () -> encoders.first().hasSeen(image, reading))
                            ? EncodingCost.NONE
                            : seen(client, tenant, image, reading);
                }));
            }
        }
        return cost;
    }

    private EncodingCost seen(Client client, String tenant, ImageFile image, boolean alsoText) {
        long start = System.nanoTime();
        ImageFile decoded = image.decoded(client.waiting());
        double seconds = (System.nanoTime() - start) / 1e9;
        SampleEncoder encoder = encoders.first();
        EncodingCost cost = reading.turn(client.caller(), client.waiting(), () -> {
            EncodingCost before = encoder.cost();
            Tenant.as(tenant, () -> {
                encoder.see(decoded, alsoText);
                return decoded;
            });
            return encoder.cost().since(before);
        });
        return new EncodingCost(cost.frameFlops(), cost.frameSeconds() + seconds, 0, 0);
    }
}
