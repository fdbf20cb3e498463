import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { apiKeyFaults } from './api-keys.ts'
import { besideAndBelowFaults } from './beside-and-below-faults.ts'
import { breakingChangeFaults } from './breaking-changes.ts'
import { bypassFaults } from './bypass.ts'
import { cacheFaults } from './caching.ts'
import { combinedFlawFaults } from './combined-flaws-faults.ts'
import { concurrencyFaults } from './concurrency.ts'
import { elsewhereFaults } from './conditions-elsewhere.ts'
import { conditionFaults } from './conditions-faults.ts'
import { describedEndpointFaults } from './described-endpoint.ts'
import { describedInputFaults } from './described-input-faults.ts'
import { errorBodyFaults } from './error-bodies.ts'
import { formFaults } from './form-of-request.ts'
import { furtherRowFaults, furtherValueFaults } from './further-rows.ts'
import { guessFaults } from './guesses-faults.ts'
import { headerLineFaults } from './header-lines-faults.ts'
import { http10Faults } from './http-1-0.ts'
import { jsonFaults } from './json.ts'
import { leftBehindFaults } from './left-behind-faults.ts'
import { listEndpointFaults } from './list-endpoint.ts'
import { messageFaults } from './messages-faults.ts'
import { nowAndThenFaults } from './now-and-then.ts'
import { parameterFaults } from './parameters-faults.ts'
import { pathFaults } from './paths-faults.ts'
import { quotaFaults } from './quota-faults.ts'
import { oddQueryFaults, realClientFaults } from './real-clients.ts'
import { refusalFaults } from './refusals.ts'
import { requestTimeoutFaults } from './request-timeouts.ts'
import { reusedConnectionFaults } from './reused-connections.ts'
import { secondClientFaults } from './second-client.ts'
import { secretEchoFaults } from './secret-echo.ts'
import { secretKeyFaults } from './secret-keys.ts'
import { selectedVersionFaults } from './selected-version.ts'
import { doorFaults, refusedClientFaults } from './side-doors-faults.ts'
import { strangerFaults } from './strangers.ts'
import { versionValueFaults } from './version-values.ts'
import { versionFaults } from './versioning.ts'

/** Faults under a single condition: for one client, one value, one connection, or now and then. */
const conditional: readonly Fault[] = [...secondClientFaults, ...reusedConnectionFaults, ...nowAndThenFaults]

/**
 * Every fault: by area in the order of the rules, then those under a single condition, then those that need
 * more than a run.
 */
export const faults: readonly Fault[] = [
  ...jsonFaults,
  ...formFaults,
  ...listEndpointFaults,
  ...refusalFaults,
  ...apiKeyFaults,
  ...secretKeyFaults,
  ...bypassFaults,
  ...doorFaults,
  ...cacheFaults,
  ...leftBehindFaults,
  ...guessFaults,
  ...concurrencyFaults,
  ...versionFaults,
  ...selectedVersionFaults,
  ...errorBodyFaults,
  ...requestTimeoutFaults,
  ...quotaFaults,
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
  ...refusedClientFaults,
  ...furtherRowFaults,
  ...furtherValueFaults,
  ...secretEchoFaults,
  ...messageFaults,
  ...conditional,
  ...breakingChangeFaults,
  ...describedEndpointFaults,
  ...describedInputFaults,
]
