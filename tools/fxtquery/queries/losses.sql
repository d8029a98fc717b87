-- What is missing from the recording
SELECT name, kind, cpu, value, description FROM loss
