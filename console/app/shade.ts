/**
 * Which of five shades a count has, 0: none. It grows with the root of the count, because most hours of
 * many plans have counts of one size, and those of few differ by more.
 */
export function shadeOf(n: number, most: number): number {
  return n === 0 ? 0 : Math.ceil(5 * Math.sqrt(n / most));
}
