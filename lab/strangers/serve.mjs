// Starts a service of a family (path of its file, name of the row), sends its address to the parent process,
// and ends with that process.
import { pathToFileURL } from 'node:url'

process.once('disconnect', () => process.exit())
const [, , family, name] = process.argv
const { strangers } = await import(pathToFileURL(family).href)
const { url } = await strangers[name].start()
process.send(url)
