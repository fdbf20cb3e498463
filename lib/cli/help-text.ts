/** What `--help` ends with: how to begin, where settings come from, what the exit codes mean. */
export const helpFooter = `
To begin:
  card-switch-conformance --base-url embedded      judge the suite's own reference service
  card-switch-conformance doctor                   are my settings right, is the service there?
  card-switch-conformance plan                     what would be judged, how many requests would it cost?
  card-switch-conformance run                      judge the service

Settings come from flags, from the environment, then from .env in this folder (with CI set, only where --env-file names
it). Credentials have no flags, since flags show in the process list: set TARGET_BASE_URL, TARGET_API_KEY and
TARGET_SECRET_KEY in .env (see .env.example), and FIXTURE_… for clients that behave in a known way. "card-switch-conformance
run --help" lists every flag.

Exit codes of run:
  0  conformant              3  incomplete: unreachable, credentials refused, quota or budget ran out,
  1  nonconformant              or a rule that the profile requires could not be judged
  2  wrong settings          4  the suite itself failed
`
