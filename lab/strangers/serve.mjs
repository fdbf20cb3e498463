// Starts the service of this file, sends its address to the process that asked for it, and ends with that process.
import { pathToFileURL } from 'node:url'

process.once('disconnect', () => process.exit())
const { start } = await import(pathToFileURL(process.argv[2]).href)
const { url } = await start()
process.send(url)
