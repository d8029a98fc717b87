-- What is missing from the recording
SELECT name, cpu, value, description FROM loss
