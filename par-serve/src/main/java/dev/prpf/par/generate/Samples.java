package dev.prpf.par.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Generations at the places of the requests and seeds they were asked for with. */
final class Samples {
    private final List<Generation[]> places = new ArrayList<>();

    Samples(List<GenerationRequest> requests) {
        requests.forEach(request -> places.add(new Generation[request.seeds().size()]));
    }

    void put(BatchPlan.Slot slot, Generation generation) {
        places.get(slot.place())[slot.sample()] = generation;
    }

    List<List<Generation>> all() {
        return places.stream()
                .map(samples -> Collections.unmodifiableList(Arrays.asList(samples)))
                .toList();
    }
}
