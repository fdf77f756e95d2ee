package com.example;

import dev.prpf.api.FunctionCall;
import dev.prpf.api.PrpfCascade;
import dev.prpf.api.PrpfException.InvalidDataException;
import dev.prpf.api.Recommendation;
import dev.prpf.api.Sample;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A backend whose argument is the folder of a cascade. {@code POST /suggest} returns the calls to propose; none means silence. */
@SpringBootApplication
public class Backend {
    public static void main(String[] arguments) {
        SpringApplication.run(Backend.class, arguments);
    }

    /** Spring closes the cascade after the last request. */
    @Bean
    PrpfCascade cascade(ApplicationArguments arguments) {
        return PrpfCascade.load(Path.of(arguments.getNonOptionArgs().get(0)));
    }

    /** The body of a request. */
    record Moment(String profile, String phone, String world, List<String> trace) {}

    @RestController
    static class Suggestions {
        private final PrpfCascade cascade;

        Suggestions(PrpfCascade cascade) {
            this.cascade = cascade;
        }

        @PostMapping("/suggest")
        List<FunctionCall> suggest(@RequestBody Moment moment) {
            Sample.Builder sample =
                    Sample.builder().profile(moment.profile()).phone(moment.phone()).world(moment.world());
            moment.trace().forEach(sample::text);
            Recommendation answer = cascade.recommend(sample.build());
            return answer instanceof Recommendation.Actions actions ? actions.calls() : List.of();
        }

        @ExceptionHandler(InvalidDataException.class)
        @ResponseStatus(HttpStatus.BAD_REQUEST)
        String refused(InvalidDataException refusal) {
            return refusal.getMessage();
        }
    }
}
