package dev.prpf.mpp;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lets every sample through with every scenario: the pipeline without a perceiver ("w/o MPP" of PRPF Table 2). */
public final class AlwaysPerceiver implements Perceiver {
    private final Perception certain;

    public AlwaysPerceiver(ScenarioCatalog catalog) {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        catalog.names().forEach(name -> scenarios.put(name, 1.0));
        certain = new Perception(1, scenarios);
    }

    @Override
    public String id() {
        return "always";
    }

    @Override
    public List<Perception> perceive(List<Sample> samples) {
        return samples.stream().map(sample -> certain).toList();
    }

    @Override
    public void close() {}
}
