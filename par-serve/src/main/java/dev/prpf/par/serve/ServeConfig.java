package dev.prpf.par.serve;

import dev.prpf.par.serve.generation.ServiceSettings;
import dev.prpf.par.serve.http.HttpSettings;

/**
 * configs/serve.yaml.
 *
 * @param http what is taken from whom
 * @param generation how generations share the engine
 */
public record ServeConfig(HttpSettings http, ServiceSettings generation) {
    /** What configs/serve.yaml says. */
    public static final ServeConfig DEFAULT = new ServeConfig(HttpSettings.DEFAULT, ServiceSettings.DEFAULT);
}
