import { acceptFaults } from './accept.ts'
import { apiKeyValueFaults } from './api-key-values.ts'
import { apiKeyFaults } from './api-key.ts'
import { bypassFaults } from './bypass.ts'
import { cachingFaults } from './caching.ts'
import { combinedFlawFaults } from './combined-flaws.ts'
import { concurrencyFaults } from './concurrency.ts'
import { documentedPairFaults } from './documented-pairs.ts'
import { errorBodyFaults } from './error-bodies.ts'
import type { Fault } from './fault.ts'
import { headerLineFaults } from './header-lines.ts'
import { headerNameFaults } from './header-names.ts'
import { inputFaults } from './input.ts'
import { jsonFaults } from './json.ts'
import { listEndpointFaults } from './list-endpoint.ts'
import { malformedVersionFaults } from './malformed-version.ts'
import { missingHeaderFaults } from './missing-headers.ts'
import { parameterFaults } from './parameters.ts'
import { pathFaults } from './paths.ts'
import { quotaFaults } from './quota.ts'
import { secretEchoFaults } from './secret-echo.ts'
import { secretKeyValueFaults } from './secret-key-values.ts'
import { secretKeyFaults } from './secret-key.ts'
import { selectedVersionFaults } from './selected-version.ts'
import { sideDoorFaults } from './side-doors.ts'
import { standingFaults } from './standing.ts'
import { versionValueFaults } from './version-values.ts'
import { versioningFaults } from './versioning.ts'

/** Every fault, by area in the order of the rules. */
export const faults: readonly Fault[] = [
  ...jsonFaults,
  ...acceptFaults,
  ...headerNameFaults,
  ...listEndpointFaults,
  ...missingHeaderFaults,
  ...apiKeyFaults,
  ...secretKeyFaults,
  ...standingFaults,
  ...bypassFaults,
  ...sideDoorFaults,
  ...cachingFaults,
  ...concurrencyFaults,
  ...versioningFaults,
  ...selectedVersionFaults,
  ...malformedVersionFaults,
  ...errorBodyFaults,
  ...documentedPairFaults,
  ...inputFaults,
  ...quotaFaults,
  ...apiKeyValueFaults,
  ...secretKeyValueFaults,
  ...versionValueFaults,
  ...pathFaults,
  ...parameterFaults,
  ...headerLineFaults,
  ...combinedFlawFaults,
  ...secretEchoFaults,
]
