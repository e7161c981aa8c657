import { lang } from "./prefs";

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes, such as "1.5 MiB". */
export function size(bytes: number): string {
  const i = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${new Intl.NumberFormat(lang.now.value, { maximumFractionDigits: i ? 1 : 0 }).format(bytes / 1024 ** i)} ${units[i]}`;
}
