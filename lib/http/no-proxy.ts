import { BlockList, isIP } from 'node:net'
import { urlOf } from '../text/url.ts'

/**
 * Whether `noProxy` names an https target, following the rules of curl and Go. It may contain hosts with their subdomains, addresses of both
 * IP versions in any spelling, with or without brackets, networks (`10.0.0.0/8`, `fd00::/8`), a port after any of these except a network, and
 * `*` for all. Entries that can never match, such as `10.*`, `https://host` or `10.0.0.0/33`, name nothing.
 */
export function isExempt({ hostname, port }: URL, noProxy: string): boolean {
  const host = bare(hostname)
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true
    const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? []
    if (address !== '') return isWithin(host, bare(address), Number(bits))
    const [, named = entry, onlyPort = null] = isIP(entry) > 0 ? [] : (/^(.+):(\d+)$/.exec(entry) ?? [])
    return (onlyPort === null || Number(onlyPort) === Number(port || 443)) && isNamed(host, bare(named))
  })
}

function isNamed(host: string, entry: string): boolean {
  const version = isIP(entry)
  if (version > 0) return isWithin(host, entry, version === 4 ? 32 : 128)
  const name = canonical(entry.replace(/^\*?\./, ''))
  return name !== null && (host === name || host.endsWith(`.${name}`))
}

/** Whether an address is in a network, which may consist of a single address. */
function isWithin(host: string, address: string, bits: number): boolean {
  const [version, ofNetwork] = [isIP(host), isIP(address)]
  if (version === 0 || ofNetwork === 0 || bits > (ofNetwork === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, bits, ofNetwork === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** A name in lower case and ASCII, without a trailing dot; null if it cannot occur in a URL. */
function canonical(name: string): string | null {
  // The end of an address matches, as in Go, so `.0.0.1` names 127.0.0.1.
  if (/^\d+(?:\.\d+)*$/.test(name)) return name
  const url = /^[^\s/?#@:*[\]\\]+$/.test(name) ? urlOf(`https://${name}/`) : null
  return url === null ? null : bare(url.hostname)
}

/** A host without brackets or a trailing dot. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
