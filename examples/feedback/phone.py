"""A phone whose user asks for help twice, accepts the first suggestion and rejects the second. Its argument is the server's address."""
import sys

from prpf_client import Client

DENTIST = {
    "profile": "Forgets appointments, likes short notes.",
    "phone": "Battery 80 %.",
    "world": "Monday, 20:15, at home.",
    "trace": ["Reads the dentist's message: your appointment is tomorrow at 9:30"],
}
BUS = {
    "profile": "Never likes to let friends wait.",
    "phone": "Battery 34 %, Bluetooth off.",
    "world": "Thursday, 18:05, on a bus.",
    "trace": ["The bus app shows a delay of ten minutes"],
}

with Client(sys.argv[1]) as server:
    for moment, accepted in ((DENTIST, True), (BUS, False)):
        answer = server.recommend(**moment, user="ann", passive=True)
        if not answer["recommendations"]:
            sys.exit(f"no suggestion ({answer['silence']}); train the cascade longer")
        suggestion = answer["recommendations"][0]
        result = server.feedback("ann", moment=moment, recommendation=suggestion, accepted=accepted)
        print("accepted:" if accepted else "rejected:", suggestion["instruction"], "->", result["id"])
