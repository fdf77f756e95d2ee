import dev.prpf.api.Context;
import dev.prpf.api.FunctionCall;
import dev.prpf.api.PrpfCascade;
import dev.prpf.api.PrpfStream;
import dev.prpf.api.Recommendation;
import dev.prpf.api.Sample;
import dev.prpf.api.Step;
import java.nio.file.Path;

/** Asks a cascade of {@code ./prpf train examples/own-data/recipe.yaml}: a whole sample first, then a device's steps one by one. */
public final class Assistant {
    private Assistant() {}

    public static void main(String[] arguments) {
        try (PrpfCascade cascade = PrpfCascade.load(Path.of(arguments[0]))) {
            Sample sample = Sample.builder()
                    .profile("Forgets appointments, likes short notes.")
                    .phone("Battery 80 %.")
                    .world("Monday, 20:15, at home.")
                    .text("Reads the dentist's message: your appointment is tomorrow at 9:30")
                    .text("Opens the calendar and closes it again")
                    .build();
            System.out.println("sample: " + shown(cascade.recommend(sample)));

            Context context = new Context("Commutes by train.", "Battery 38 %.", "Tuesday, 8:20, on a train.");
            PrpfStream stream = cascade.stream(context);
            for (String step : new String[] {"The ticket was checked", "Continues a podcast"}) {
                System.out.printf("step: %.2f%n", stream.add(Step.text(step)).probability());
            }
            System.out.println("stream: " + shown(stream.recommend()));
        }
    }

    private static String shown(Recommendation answer) {
        if (answer instanceof Recommendation.Actions actions) {
            FunctionCall call = actions.calls().get(0);
            return call.name() + " " + call.arguments();
        }
        return answer.getClass().getSimpleName();
    }
}
