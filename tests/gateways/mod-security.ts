import { apache, startApache } from './apache.ts'
import type { Gateway } from './gateway.ts'

const coreRuleSet = '/usr/share/modsecurity-crs/owasp-crs.load'

/** Debian's Apache with ModSecurity, which enforces the OWASP Core Rule Set in its defaults (paranoia level 1). */
export const modSecurity: Gateway = {
  name: 'ModSecurity',
  program: '/usr/lib/apache2/modules/mod_security2.so',
  hardened: apache.hardened,
  start: (behind) =>
    startApache(
      behind,
      (folder) => `
LoadModule unique_id_module /usr/lib/apache2/modules/mod_unique_id.so
LoadModule security2_module /usr/lib/apache2/modules/mod_security2.so
Include /etc/modsecurity/modsecurity.conf-recommended
SecRuleEngine On
SecDataDir ${folder}
SecTmpDir ${folder}
SecAuditLog ${folder}/audit.log
Include ${coreRuleSet}
`,
    ),
}
