import type { Catalogue } from "./en";

/** The Chinese texts about periodic tasks. */
export const periodic: Catalogue["periodic"] = {
  filter: "筛选周期任务",
  columns: ["名称", "状态", "类型", "时间表", "日志", "修改时间"],
  none: "还没有周期任务。第一条命令新建，第二条使其上线：",
  noneFits: (filters) => `没有符合 ${filters} 的周期任务。`,
  gone: "没有这个名称的周期任务。",
  made: "创建时间",
  changed: "修改时间",
  put: "保存",
  putNew: "新建周期任务",
  putAbout: "任务保持原状态。改到其他类型时，原类型下进行中的触发留在原处。",
  newAbout: "上线之后才会触发。不填 id 时自动生成。",
  wasPut: (id) => `已保存 ${id}。`,
  online: "上线",
  offline: "下线",
  is: (id, status) => `${id} 现在是 ${status}。`,
  delete: "删除",
  deleteAbout: "任务及其日志立即删除，它触发的执行会被取消。",
  deleted: (id) => `已删除 ${id}。`,
  log: "触发日志",
  logColumns: ["触发时间", "结果", "耗时", "错误"],
  noLog: "没有日志。log 为 trigger_log 或 trans_log 的任务触发后会在这里出现。",
  fields: { id: "Id", type: "类型", cron_expressions: "cron 表达式", timezone: "时区", log: "日志", tenant_id: "租户", category: "类别", creator: "创建者", ext: "扩展" },
};

/** The Chinese texts about callbacks. */
export const callbacks: Catalogue["callbacks"] = {
  about: "对方地址尚未接收的回调。每条在 1、2、4 秒（依此类推，最多 60 秒）之后重试，直到被接收或放弃。",
  filter: "筛选回调",
  columns: ["名称", "未送达", "最近应答", "尝试次数", "下次尝试"],
  none: "所有回调都已送达。命令行中的同一列表：",
  noneFits: (filters) => `没有符合 ${filters} 的未送达回调。`,
  tryNow: "立即重试",
  tried: (name) => `正在重试 ${name}。`,
  giveUp: "放弃",
  giveUpAbout: (n) => `未送达的有 ${n} 条。它们会被丢弃，对方不会得知这些结果；结果本身保留。`,
  givenUp: (name) => `已放弃 ${name}。`,
};
