import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { acceptFaults } from './accept.ts'
import { apiKeyValueFaults } from './api-key-values.ts'
import { apiKeyFaults } from './api-key.ts'
import { besideAndBelowFaults } from './beside-and-below-faults.ts'
import { blankValueFaults } from './blank-values.ts'
import { bodyFaults } from './bodies.ts'
import { breakingChangeFaults } from './breaking-changes.ts'
import { bypassFaults } from './bypass.ts'
import { cachingFaults } from './caching.ts'
import { closedDoorFaults, refusedClientFaults } from './closed-doors.ts'
import { combinedFlawFaults } from './combined-flaws-faults.ts'
import { concurrencyFaults } from './concurrency.ts'
import { elsewhereFaults } from './conditions-elsewhere.ts'
import { conditionFaults } from './conditions-faults.ts'
import { contentCodingFaults } from './content-codings.ts'
import { describedEndpointFaults } from './described-endpoint.ts'
import { describedInputFaults } from './described-input-faults.ts'
import { documentedPairFaults } from './documented-pairs.ts'
import { errorBodyFaults } from './error-bodies.ts'
import { formOfRequestFaults } from './form-of-request.ts'
import { furtherRowFaults, furtherValueFaults } from './further-rows.ts'
import { guessFaults } from './guesses-faults.ts'
import { halfOpenDoorFaults } from './half-open-doors.ts'
import { headerLineFaults } from './header-lines-faults.ts'
import { headerNameFaults } from './header-names.ts'
import { http10Faults } from './http-1-0.ts'
import { inputFaults } from './input-faults.ts'
import { jsonFaults } from './json.ts'
import { labelAndMarkFaults } from './labels-and-marks.ts'
import { leftBehindFaults } from './left-behind-faults.ts'
import { listEndpointFaults } from './list-endpoint.ts'
import { malformedVersionFaults } from './malformed-version.ts'
import { messageFaults } from './messages-faults.ts'
import { missingHeaderFaults } from './missing-headers.ts'
import { nowAndThenFaults } from './now-and-then.ts'
import { oneCodeFaults } from './one-code.ts'
import { onePositionFaults } from './one-position.ts'
import { oneVersionFaults } from './one-version.ts'
import { othersQuotaFaults } from './others-quota.ts'
import { parameterFaults } from './parameters-faults.ts'
import { pathFaults } from './paths-faults.ts'
import { quotaFaults } from './quota-faults.ts'
import { oddQueryFaults, realClientFaults } from './real-clients.ts'
import { requestTimeoutFaults } from './request-timeouts.ts'
import { reusedConnectionFaults } from './reused-connections.ts'
import { secondClientFaults } from './second-client.ts'
import { secretEchoFaults } from './secret-echo.ts'
import { secretElsewhereFaults } from './secret-elsewhere.ts'
import { secretKeyValueFaults } from './secret-key-values.ts'
import { secretKeyFaults } from './secret-key.ts'
import { selectedVersionFaults } from './selected-version.ts'
import { sharedCacheFaults } from './shared-caches.ts'
import { sideDoorFaults } from './side-doors-faults.ts'
import { standingFaults } from './standing.ts'
import { storeFaults } from './stores.ts'
import { strangerFaults } from './strangers.ts'
import { underLoadFaults } from './under-load.ts'
import { versionValueFaults } from './version-values.ts'
import { versioningFaults } from './versioning.ts'

/** Faults under a single condition: for one client, one value, one connection, or now and then. */
const conditional: readonly Fault[] = [
  ...secondClientFaults,
  ...onePositionFaults,
  ...oneVersionFaults,
  ...oneCodeFaults,
  ...blankValueFaults,
  ...formOfRequestFaults,
  ...halfOpenDoorFaults,
  ...reusedConnectionFaults,
  ...underLoadFaults,
  ...nowAndThenFaults,
  ...othersQuotaFaults,
  ...bodyFaults,
]

/**
 * Every fault: by area in the order of the rules, then those under a single condition, then those that need
 * more than a run.
 */
export const faults: readonly Fault[] = [
  ...jsonFaults,
  ...contentCodingFaults,
  ...labelAndMarkFaults,
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
  ...leftBehindFaults,
  ...guessFaults,
  ...concurrencyFaults,
  ...versioningFaults,
  ...selectedVersionFaults,
  ...malformedVersionFaults,
  ...errorBodyFaults,
  ...documentedPairFaults,
  ...requestTimeoutFaults,
  ...inputFaults,
  ...quotaFaults,
  ...apiKeyValueFaults,
  ...secretKeyValueFaults,
  ...versionValueFaults,
  ...http10Faults,
  ...pathFaults,
  ...besideAndBelowFaults,
  ...parameterFaults,
  ...headerLineFaults,
  ...combinedFlawFaults,
  ...strangerFaults,
  ...realClientFaults,
  ...conditionFaults,
  ...elsewhereFaults,
  ...oddQueryFaults,
  ...closedDoorFaults,
  ...refusedClientFaults,
  ...furtherRowFaults,
  ...furtherValueFaults,
  ...storeFaults,
  ...secretEchoFaults,
  ...secretElsewhereFaults,
  ...sharedCacheFaults,
  ...messageFaults,
  ...conditional,
  ...breakingChangeFaults,
  ...describedEndpointFaults,
  ...describedInputFaults,
]
