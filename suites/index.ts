import type { Area } from '../lib/engine/plan/cases.ts'
import { authentication } from './authentication.suite.ts'
import { conventions } from './conventions.suite.ts'
import { endpoints } from './endpoints.suite.ts'
import { errors } from './errors.suite.ts'
import { fuzzing } from './fuzz.suite.ts'
import { input } from './input.suite.ts'
import { quota } from './quota.suite.ts'
import { security } from './security.suite.ts'
import { tolerance } from './tolerance.suite.ts'
import { versioning } from './versioning.suite.ts'

/** All areas in the order of the specification; the catalogue says when each rule is judged. */
export const suites: readonly Area[] = [
  conventions,
  endpoints,
  authentication,
  versioning,
  errors,
  input,
  quota,
  fuzzing,
  tolerance,
  security,
]
